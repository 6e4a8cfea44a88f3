//! Loads a certificate supplied by the user and reports its errors before the first connection.

use std::{fs, path::Path, sync::Arc};

use rustls::{
    CertificateError, Error, InconsistentKeys, RootCertStore,
    client::verify_server_cert_signed_by_trust_anchor,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject},
    server::ParsedCertificate,
    sign::{CertifiedKey, SingleCertAndKey},
};

use super::{CertificateNames, TlsError};

/// Loads a certificate chain and its key, and checks that they can be used.
pub(super) fn load_certificate(
    cert: &Path,
    key: &Path,
    provider: &CryptoProvider,
) -> Result<SingleCertAndKey, TlsError> {
    let chain = read_chain(cert)?;
    let odd = |why: String| TlsError::OddCertificate { path: cert.to_owned(), why };
    // Whether the signer is trusted is up to the callers. Only its dates and its form are checked here.
    match check_certificate(&chain[0], &chain[0], provider) {
        Ok(()) | Err(UnusableCertificate::Other(_)) => {}
        Err(UnusableCertificate::Expired(until)) => return Err(TlsError::Expired { path: cert.to_owned(), until }),
        Err(UnusableCertificate::NotYetValid(from)) => {
            return Err(TlsError::NotYetValid { path: cert.to_owned(), from });
        }
        Err(UnusableCertificate::Unreadable(why)) => return Err(odd(why)),
    }
    let signing = provider.key_provider.load_private_key(read_private_key(key)?);
    let signing = signing.map_err(|why| TlsError::OddKey { path: key.to_owned(), why: why.to_string() })?;
    let certified = CertifiedKey::new(chain, signing);
    match certified.keys_match() {
        // If the key cannot be compared, it is assumed to match.
        Ok(()) | Err(Error::InconsistentKeys(InconsistentKeys::Unknown)) => {
            Ok(SingleCertAndKey::from(Arc::new(certified)))
        }
        Err(Error::InconsistentKeys(_)) => Err(TlsError::Mismatch { cert: cert.to_owned(), key: key.to_owned() }),
        Err(why) => Err(odd(why.to_string())),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|why| TlsError::Unreadable { path: path.to_owned(), why })
}

/// Reads a certificate chain with at least one certificate.
fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read_file(path)?;
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|why| TlsError::OddCertificate { path: path.to_owned(), why: why.to_string() })?;
    if chain.is_empty() { Err(TlsError::NoCertificate(path.to_owned())) } else { Ok(chain) }
}

fn read_private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let text = read_file(path)?;
    let has = |word: &str| text.windows(word.len()).any(|at| at == word.as_bytes());
    if has("BEGIN ENCRYPTED PRIVATE KEY") || has("Proc-Type: 4,ENCRYPTED") {
        return Err(TlsError::Locked(path.to_owned()));
    }
    // The error of the parser could quote the file, so it is left out.
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| TlsError::NoKey(path.to_owned()))
}

/// The reason why a certificate cannot be used.
#[derive(Debug)]
pub(super) enum UnusableCertificate {
    Expired(u64),
    NotYetValid(u64),
    Unreadable(String),
    /// The signer or the names do not match.
    Other(Error),
}

impl UnusableCertificate {
    /// Turns the problem into the error for a certificate that the authority in `folder` has just signed.
    pub(super) fn into_authority_error(self, folder: &Path, wanted: &CertificateNames) -> TlsError {
        let path = folder.to_owned();
        match self {
            Self::Expired(until) => TlsError::Expired { path, until },
            Self::NotYetValid(from) => TlsError::NotYetValid { path, from },
            Self::Unreadable(why) => TlsError::OddCertificate { path, why },
            Self::Other(_) if !wanted.describe_extra_names().is_empty() => {
                TlsError::OtherNames { folder: path, names: wanted.describe_extra_names() }
            }
            Self::Other(why) => TlsError::OddCertificate { path, why: why.to_string() },
        }
    }
}

/// Checks whether `root` vouches for this server certificate now.
pub(super) fn check_certificate(
    certificate: &CertificateDer<'_>,
    root: &CertificateDer<'static>,
    provider: &CryptoProvider,
) -> Result<(), UnusableCertificate> {
    let unreadable = |why: Error| UnusableCertificate::Unreadable(why.to_string());
    let parsed = ParsedCertificate::try_from(certificate).map_err(unreadable)?;
    let mut roots = RootCertStore::empty();
    roots.add(root.clone()).map_err(unreadable)?;
    let algorithms = provider.signature_verification_algorithms.all;
    let now = UnixTime::now();
    match verify_server_cert_signed_by_trust_anchor(&parsed, &roots, &[], now, algorithms) {
        Ok(()) => Ok(()),
        Err(Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
            Err(UnusableCertificate::Expired(not_after.as_secs()))
        }
        Err(Error::InvalidCertificate(CertificateError::NotValidYetContext { not_before, .. })) => {
            Err(UnusableCertificate::NotYetValid(not_before.as_secs()))
        }
        Err(why) => Err(UnusableCertificate::Other(why)),
    }
}
