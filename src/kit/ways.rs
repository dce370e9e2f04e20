//! The five ways to get a kit, as commands that a reader can copy.

use super::archive::{Format, SUMS};
use super::fetch::{is_https, kit_url, shell_quote};
use super::publish::ArchiveFacts;
use super::tree::Kit;
use crate::address::encode;

/// One way to get a kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// Which: `fetch`, `tar`, `zip`, `mirror`, `text`; templates have the words.
    pub(crate) id: &'static str,
    /// What to click on, from the kit's page.
    pub(crate) href: String,
    /// What to type, line by line.
    pub(crate) commands: Vec<String>,
    /// Size and digest of what is fetched, where it is one file.
    pub(crate) file: Option<ArchiveFacts>,
}

/// The ways to get `kit`. Without a known address the commands have the word `ADDRESS`.
pub(super) fn ways(kit: &Kit, archives: &[ArchiveFacts], base_url: Option<&str>) -> Vec<Way> {
    let url = base_url.filter(|url| is_https(url)).map(|url| kit_url(kit, url));
    let from = Address { url: url.as_deref() };
    let way = |id, file: &str, commands| {
        let facts = archives.iter().find(|facts| facts.name == file).cloned();
        Way { id, href: encode(file), commands, file: facts }
    };
    let (tar, zip) = (Format::TarGz.file_name(kit), Format::Zip.file_name(kit));
    let verify = format!("cd ./{} && sha256sum -c {SUMS}", shell_quote(&kit.top()));
    let archive = |name: &str, tool: &str| {
        vec![from.get(name), format!("{tool} ./{}", shell_quote(name)), verify.clone()]
    };
    vec![
        way("fetch", "fetch.sh", from.fetch()),
        way("tar", &tar, archive(&tar, "tar -xzf")),
        way("zip", &zip, archive(&zip, "unzip")),
        way("mirror", "files/index.html", vec![from.mirror(&kit.top())]),
        way("text", "all.txt", vec![from.get("all.txt"), UNPACK.to_owned()]),
    ]
}

/// Unpacks `all.txt`, as its first lines say.
const UNPACK: &str =
    "sed -n '/^==> /q;s/^#| //p' all.txt > unpack.sh && less unpack.sh && sh unpack.sh";

/// The address of the kit's folder, where it is known.
struct Address<'a> {
    url: Option<&'a str>,
}

impl Address<'_> {
    /// A file of the kit's folder, as a word for the shell.
    fn of(&self, path: &str) -> String {
        shell_quote(&format!("{}/{}", self.url.unwrap_or("ADDRESS"), encode(path)))
    }

    /// Saves a file under its own name; curl would keep an encoded name as it is.
    fn get(&self, name: &str) -> String {
        if encode(name) == name {
            format!("curl -fsSLO {}", self.of(name))
        } else {
            format!("curl -fsSL -o {} {}", shell_quote(name), self.of(name))
        }
    }

    /// The script: first the way in which it is read before it is run.
    fn fetch(&self) -> Vec<String> {
        let (read, piped) = match self.url {
            Some(_) => ("sh fetch.sh", "sh"),
            None => ("sh fetch.sh ADDRESS", "sh -s ADDRESS"),
        };
        vec![
            format!("{} && less fetch.sh && {read}", self.get("fetch.sh")),
            format!("curl -fsSL {} | {piped}", self.of("fetch.sh")),
            self.windows(),
        ]
    }

    /// The same on Windows, where the script is read first too.
    fn windows(&self) -> String {
        let address = if self.url.is_some() { "" } else { " ADDRESS" };
        format!(
            "Invoke-WebRequest -UseBasicParsing {} -OutFile fetch.ps1; notepad fetch.ps1; \
             powershell -ExecutionPolicy Bypass -File fetch.ps1{address}",
            self.of("fetch.ps1")
        )
    }

    /// The folder as it is, without archives and scripts.
    fn mirror(&self, top: &str) -> String {
        // The folders above the files, which wget would make again, are known with the address.
        let place = self.url.map(|url| {
            let depth = url.split('/').skip(3).count() + 1;
            format!(" -nH --cut-dirs={depth} -P ./{}", shell_quote(top))
        });
        let skip = "-R 'index.html*,robots.txt*'";
        format!("wget -r -np {skip}{} {}", place.unwrap_or_default(), self.of("files/index.html"))
    }
}
