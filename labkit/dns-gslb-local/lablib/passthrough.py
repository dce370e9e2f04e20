"""Clients that speak TLS themselves, through an Envoy that only relays bytes."""
import http.client
import socket
import ssl

from .envoy import Answer
from .world import ENVOY_IP, NAME, PASS_PORT

CUT, TIMED_OUT = "cut", "timed out"              # how a request without an answer ended
TRUSTING = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TRUSTING.check_hostname = False                   # the lab's certificate signs itself
TRUSTING.verify_mode = ssl.CERT_NONE


class Client(http.client.HTTPSConnection):
    """One TLS connection of the client, which stays open between requests."""

    def __init__(self, timeout=10.0):
        super().__init__(ENVOY_IP, PASS_PORT, timeout=timeout, context=TRUSTING)

    def connect(self):
        plain = socket.create_connection((ENVOY_IP, PASS_PORT), self.timeout)
        try:
            self.sock = TRUSTING.wrap_socket(plain, server_hostname=NAME)
        except BaseException:
            plain.close()
            raise

    def ask(self):
        """The answer to one request; without one its status says how it ended."""
        try:
            self.request("GET", "/", headers={"Host": NAME})
            reply = self.getresponse()
            reply.read()
            return Answer(reply.status, reply.getheader("X-Backend", "none"))
        except (TimeoutError, socket.timeout):
            return Answer(TIMED_OUT, "none")
        except (OSError, http.client.HTTPException):
            return Answer(CUT, "none")


def single_requests(count, timeout=10.0):
    """Sequential requests, a new connection for each; their answers."""
    answers = []
    for _ in range(count):
        client = Client(timeout)
        answers.append(client.ask())
        client.close()
    return answers


def stream_command(body):
    """curl for the 4 s response; prints status and size."""
    return ["curl", "-sk", "--http1.1", "--noproxy", "*", "-m", "30", "-o", body,
            "--resolve", "%s:%d:%s" % (NAME, PASS_PORT, ENVOY_IP), "-w", "%{http_code} %{size_download}",
            "https://%s:%d/slow" % (NAME, PASS_PORT)]
