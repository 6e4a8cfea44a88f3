//! Stores the authority of a data folder: created once and read afterwards.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use roost_ops::whole_file::{self, Durability};
use tempfile::NamedTempFile;

use super::{CertificateNames, TlsError, authority::CertificateAuthority};

/// The file with key and certificate. They are in one file, so that nobody ever sees one without the other.
const KEY_FILE: &str = "ca.key";
/// The file with only the certificate, for callers that are to trust it.
const CERTIFICATE_FILE: &str = "ca.pem";

/// Opens the authority of this folder, or creates it. Also returns the path of its certificate.
pub(super) fn open_authority(
    folder: &Path,
    wanted: &CertificateNames,
) -> Result<(CertificateAuthority, PathBuf), TlsError> {
    let (key, certificate) = (folder.join(KEY_FILE), folder.join(CERTIFICATE_FILE));
    if let Some(authority) = read_authority(&key)? {
        return publish_certificate(authority, certificate);
    }
    make_folder(folder).map_err(|why| TlsError::Unwritable { path: folder.to_owned(), why })?;
    let authority = CertificateAuthority::create(wanted)?;
    let written = write_private(&key, authority.to_pem().as_bytes())
        .and_then(|file| whole_file::rename_new(file, &key, Durability::Durable));
    match written {
        Ok(_) => publish_certificate(authority, certificate),
        // Another process created one at the same moment; both use that one.
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
            let theirs = read_authority(&key)?.ok_or_else(|| TlsError::NoKey(key.clone()))?;
            publish_certificate(theirs, certificate)
        }
        Err(why) => Err(TlsError::Unwritable { path: key, why }),
    }
}

fn read_authority(path: &Path) -> Result<Option<CertificateAuthority>, TlsError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(TlsError::Unreadable { path: path.to_owned(), why }),
    };
    if is_open(path) {
        return Err(TlsError::ReadableByOthers(path.to_owned()));
    }
    CertificateAuthority::from_pem(&text).map(Some).ok_or_else(|| TlsError::NoKey(path.to_owned()))
}

/// Writes the file with the certificate if it is missing or different.
fn publish_certificate(
    authority: CertificateAuthority,
    path: PathBuf,
) -> Result<(CertificateAuthority, PathBuf), TlsError> {
    let is_there = fs::read(&path).is_ok_and(|text| text == authority.certificate().as_bytes());
    if !is_there {
        let written = write_private(&path, authority.certificate().as_bytes()).and_then(|file| {
            open_to_all(file.path())?;
            whole_file::rename_over(file, &path, Durability::Durable)
        });
        written.map_err(|why| TlsError::Unwritable { path: path.clone(), why })?;
    }
    Ok((authority, path))
}

/// Writes a temporary file that only its owner can read, until it is renamed.
fn write_private(path: &Path, text: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = whole_file::create_beside(path)?;
    file.write_all(text)?;
    Ok(file)
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Returns whether other users can read the file.
#[cfg(unix)]
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open(_: &Path) -> bool {
    false
}

/// Makes the file readable for everybody, because others may have to trust the certificate.
#[cfg(unix)]
fn open_to_all(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> io::Result<()> {
    Ok(())
}
