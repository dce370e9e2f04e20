"""Schemas and rules of the manifests of labkit/dns-gslb, and the fields that the pages name; run by tools/check-manifests.

usage: check-manifests.py CUSTOM_RESOURCE_DEFINITIONS (empty: kinds of Istio are not checked by schema)
"""
import importlib.resources
import json
import pathlib
import re
import sys

import jsonschema
import kubernetes_validate
import yaml

KIT = pathlib.Path("labkit/dns-gslb")
OVERLAY = pathlib.Path("e2e/cluster/images/kustomization.yaml")
PAGES = pathlib.Path("content")
KUBERNETES = "1.34"
ISTIO = "networking.istio.io/v1"
HOSTS = ["gslb.lab.internal", "gslb-pt.lab.internal"]

# Fields on the pages that stand in no schema: both belong to the mesh configuration.
MESH_FIELDS = {"proxyStatsMatcher", "dnsRefreshRate", "inclusionRegexps"}

# What each rule is there for: a change of one file, and words of the finding.
MUTATIONS = [
    ("40", "location: MESH_EXTERNAL", "location: MESH_SIDEWAYS", "schema"),
    ("47", "maxRequestsPerConnection", "maxRequestPerConnection", "schema"),
    ("10", "replicas: 1", "replica: 1", "schema"),
    ("41", '  exportTo: ["."]\n', "", "exportTo"),
    ("43", "    portLevelSettings:", "    outlierDetection: {interval: 5s}\n    portLevelSettings:", "top level"),
    ("30", "svc.__CLUSTER_DOMAIN__", "svc.cluster.local", "cluster.local"),
    ("30", "dnsPolicy: None", "dnsPolicy: ClusterFirst", "dnsPolicy"),
    ("30", '".*gslb.*"', '".*nothing.*"', "proxyStatsMatcher"),
    ("10", "            fallthrough\n", "", "fallthrough"),
    ("10", "        forward . __CLUSTER_DNS__\n", "", "forward"),
    ("10", "gslb-pt.lab.internal {", "{", "both names"),
    ("20", "{name: https, port: 443, targetPort: 443}", "{name: http, port: 80}", "443 only"),
    ("40", "name: https, protocol: HTTP", "name: https, protocol: TLS", "protocol"),
    ("48", "protocol: TLS", "protocol: HTTPS", "protocol"),
    ("20", "image: docker.io/library/nginx", "image: docker.io/library/nginx:latest", "tag"),
    ("20", "image: docker.io/library/nginx", "image: docker.io/library/httpd", "versions.env"),
    ("42", "  namespace: dns-lab\n", "", "namespace"),
]


def manifests():
    """Number -> text of every manifest."""
    return {path.name[:2]: path.read_text(encoding="utf-8") for path in sorted((KIT / "manifests").glob("*.yaml"))}


def documents(text):
    filled = text.replace("__CLUSTER_DNS__", "10.96.0.10").replace("__LABDNS_IP__", "10.96.0.11")
    filled = filled.replace("__CLUSTER_DOMAIN__", "lab.example").replace("__NAMESPACE__", "dns-lab")
    return [document for document in yaml.safe_load_all(filled) if document]


def closed(schema):
    """The schema with every object closed to fields that it does not name, as strict validation has it."""
    if isinstance(schema, dict):
        out = {key: closed(value) for key, value in schema.items()}
        if isinstance(out.get("properties"), dict) and not out.get("x-kubernetes-preserve-unknown-fields"):
            out.setdefault("additionalProperties", False)
        return out
    return [closed(one) for one in schema] if isinstance(schema, list) else schema


def istio_schemas(path):
    """Kind -> schema of `spec` in version v1."""
    out = {}
    for definition in yaml.safe_load_all(pathlib.Path(path).read_text(encoding="utf-8")):
        for version in (definition or {}).get("spec", {}).get("versions", []):
            if definition["spec"]["group"] == "networking.istio.io" and version["name"] == "v1":
                spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
                # Alternatives repeat fields without their schema and must stay open.
                alternatives = {key: spec[key] for key in ("oneOf", "anyOf", "not") if key in spec}
                out[definition["spec"]["names"]["kind"]] = {**closed({k: v for k, v in spec.items() if k not in alternatives})}
    return out


def by_schema(document, schemas):
    if document["apiVersion"] == ISTIO:
        if not schemas:
            return
        kind = document["kind"]
        if kind not in schemas:
            yield f"schema: Istio has no kind {kind} in {ISTIO}"
            return
        for error in jsonschema.Draft7Validator(schemas[kind]).iter_errors(document["spec"]):
            yield f"schema: spec.{'.'.join(map(str, error.absolute_path))}: {error.message}"
        return
    try:
        kubernetes_validate.validate(document, KUBERNETES, strict=True)
    except kubernetes_validate.ValidationError as error:
        yield f"schema: {error.message}"


def of_istio(number, document):
    spec = document["spec"]
    if spec.get("exportTo") != ["."]:
        yield 'exportTo is not ["."]: other namespaces would see it'
    policy = spec.get("trafficPolicy", {})
    if "portLevelSettings" in policy and set(policy) != {"portLevelSettings"}:
        yield "a field at the top level of a trafficPolicy that has portLevelSettings is ignored for that port"
    if document["kind"] == "ServiceEntry":
        want = {"40": "HTTP", "41": "HTTP", "48": "TLS", "50": "TLS"}.get(number)
        for port in spec["ports"]:
            if want and port["number"] == 443 and port["protocol"] != want:
                yield f"protocol of port 443 is {port['protocol']}, the scene needs {want}"


def of_pods(number, document, images):
    pod = document["spec"]["template"]["spec"]
    for container in pod.get("initContainers", []) + pod["containers"]:
        image = container["image"]
        if ":" in image.rsplit("/", 1)[-1]:
            yield f"image {image} has a tag; tags are in versions.env"
        elif image not in images:
            yield f"image {image} is not in versions.env"
    if number == "30":
        if pod.get("dnsPolicy") != "None":
            yield "dnsPolicy is not None: the sidecar would not ask lab-dns"
        annotations = document["spec"]["template"]["metadata"].get("annotations", {})
        matcher = yaml.safe_load(annotations.get("proxy.istio.io/config", "{}")).get("proxyStatsMatcher", {})
        if not any(re.fullmatch(one, "cluster.outbound|443||gslb.lab.internal;.upstream_cx_total") for one in matcher.get("inclusionRegexps", [])):
            yield "proxyStatsMatcher does not let the counters of the cluster through"


def of_corefile(text):
    if not re.search(r"^\s*fallthrough$", text, re.M):
        yield "no fallthrough: sidecars would not find istiod"
    if not re.search(r"^\s*forward \. ", text, re.M):
        yield "no forward: sidecars would not find istiod"
    line = re.search(r"^\s*hosts /hosts/addn (.*)\{", text, re.M)
    if not line or line.group(1).split() != HOSTS:
        yield "the hosts plugin does not serve both names of the lab"


def findings(texts, schemas, images):
    """Every finding of the manifests, as `NUMBER: words`."""
    for number, text in texts.items():
        if "cluster.local" in text:
            yield f"{number}: cluster.local is written down; the domain is looked up"
        for document in documents(text):
            found = list(by_schema(document, schemas))
            if document["kind"] != "Namespace" and document["metadata"].get("namespace") != "dns-lab":
                found.append("no namespace dns-lab")
            if document["apiVersion"].startswith("networking.istio.io"):
                found += of_istio(number, document)
            if document["kind"] == "Deployment":
                found += of_pods(number, document, images)
            if "Corefile" in document.get("data", {}):
                found += of_corefile(document["data"]["Corefile"])
            if number == "20" and document["kind"] == "Service":
                if [port["port"] for port in document["spec"]["ports"]] != [443]:
                    found.append("a backend's Service has port 443 only")
            yield from (f"{number}: {one}" for one in found)


def kit_images():
    """Image names of versions.env; none of them floats."""
    listed = re.search(r"IMAGES='\n(.*?)'", (KIT / "versions.env").read_text(encoding="utf-8"), re.S).group(1).split()
    for image in listed:
        if image.endswith(":latest") or ":" not in image:
            sys.exit(f"check-manifests: versions.env: {image} is not pinned")
    return {image.rsplit(":", 1)[0] for image in listed}


def names_in(schema):
    """The names of all fields of a schema."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for value in schema.values():
            yield from names_in(value)
    elif isinstance(schema, list):
        for one in schema:
            yield from names_in(one)


def field_names(schemas):
    """The names of all fields of Istio's kinds and of a pod's specification."""
    files = importlib.resources.files("kubernetes_validate") / "kubernetes-json-schema"
    pods = [path for path in files.rglob("podspec-v1.json") if f"v{KUBERNETES}" in str(path)]
    if not pods:
        sys.exit(f"check-manifests: kubernetes-validate has no schema of a pod of {KUBERNETES}")
    return {*names_in(schemas), *names_in(json.loads(pods[0].read_text(encoding="utf-8")))}


def page_findings(path, text, schemas, known):
    """Every fault of a page: manifests of Istio written on it, and fields named in its inline code."""
    for fence in re.findall(r"^```yaml[^\n]*\n(.*?)^```$", text, re.S | re.M):
        for document in documents(fence) if "\nkind: " in fence else []:
            if document["apiVersion"] == ISTIO:
                yield from (f"{path}: {one}" for one in by_schema(document, schemas))
    words = {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\b[a-z]+(?:[A-Z][a-z0-9]+)+\b", code)}
    yield from (f"{path}: no field {word}" for word in sorted(words - known))


def of_pages(schemas):
    """The faults of the pages, and of the check itself where it would not find one."""
    known = field_names(schemas) | MESH_FIELDS
    if "consecutiveLocalOriginFailures" not in known or "consecutiveLocalOriginFailure" in known:
        yield "the fields of Istio's kinds are not read"
    brief = PAGES / "brief/index.md"
    for path in [*sorted(PAGES.rglob("*.md")), *sorted(KIT.parent.glob("*/README.md"))]:
        if "guide" not in path.parts:
            yield from page_findings(path, path.read_text(encoding="utf-8"), schemas, known)
    for right in ("splitExternalLocalOriginErrors: true", "`splitExternalLocalOriginErrors`"):
        text = brief.read_text(encoding="utf-8")
        wrong = text.replace(right, right.replace("Errors", "Error"))
        if right not in text or not list(page_findings(brief, wrong, schemas, known)):
            yield f"{brief}: a misspelt {right} is not found"


def main(definitions):
    texts, images = manifests(), kit_images()
    schemas = istio_schemas(definitions) if definitions else {}
    found = list(findings(texts, schemas, images))
    overlay = {one["name"] for one in yaml.safe_load(OVERLAY.read_text(encoding="utf-8"))["images"]}
    if overlay != images:
        found.append(f"{OVERLAY} and versions.env name different images: {sorted(overlay ^ images)}")
    mutations = [one for one in MUTATIONS if one[3] != "schema" or schemas or one[0] == "10"]
    for number, old, new, words in mutations:
        if old not in texts[number]:
            found.append(f"mutation of {number}: {old!r} is not in the manifest")
        elif not any(words in one for one in findings({number: texts[number].replace(old, new)}, schemas, images)):
            found.append(f"mutation of {number}: {new!r} in place of {old!r} is not found")
    if schemas:
        found += of_pages(schemas)
    for one in found:
        print(f"check-manifests: {one}")
    print(f"{len(texts)} manifests, {len(mutations)} mutations, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
