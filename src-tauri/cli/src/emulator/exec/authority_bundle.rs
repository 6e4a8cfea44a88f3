//! The files by which the command of `roost exec` trusts the server's authority.

use std::{env, ffi::OsStr, fs, io::Write as _, path::Path};

use tempfile::NamedTempFile;

/// The variable by which Node.js learns of authorities, which it trusts besides its own.
const NODE_CA: &str = "NODE_EXTRA_CA_CERTS";
/// Variables whose file takes the place of the system's authorities. One that is not set stays so.
const REPLACING: [&str; 3] = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];

/// Variables with files that contain the server's authority, and what the variables named before. The files are removed
/// when this is dropped.
pub(super) struct AuthorityBundles {
    pub variables: Vec<(&'static str, String)>,
    _files: Vec<NamedTempFile>,
}

impl AuthorityBundles {
    /// Reads the variables of this process. A bundle that cannot be written is left out, because the command may do
    /// without.
    pub(super) fn write(ca: &Path) -> Self {
        let (mut variables, mut files) = (Vec::new(), Vec::new());
        for name in std::iter::once(NODE_CA).chain(REPLACING) {
            match env::var_os(name).filter(|before| !before.is_empty()) {
                Some(before) => {
                    if let Some(file) = write_bundle(&before, ca) {
                        variables.push((name, file.path().to_string_lossy().into_owned()));
                        files.push(file);
                    }
                }
                None if name == NODE_CA => variables.push((name, ca.to_string_lossy().into_owned())),
                None => {}
            }
        }
        Self { variables, _files: files }
    }
}

/// Writes a file with the certificates that were trusted before and the authority.
fn write_bundle(before: &OsStr, ca: &Path) -> Option<NamedTempFile> {
    // A file that is missing adds nothing.
    let before = fs::read(before).unwrap_or_default();
    let mut file = tempfile::Builder::new().prefix("roost-").suffix(".pem").tempfile().ok()?;
    file.write_all(&before).and_then(|()| file.write_all(b"\n")).ok()?;
    file.write_all(&fs::read(ca).ok()?).ok()?;
    Some(file)
}
