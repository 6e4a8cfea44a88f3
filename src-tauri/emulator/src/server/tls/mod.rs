//! TLS: which certificate the server presents, and which protocols it offers.

mod authority;
mod authority_folder;
mod leaves;
mod supplied;

use std::{
    fmt, io,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, ring},
    server::ResolvesServerCert,
};

use self::{authority::CertificateAuthority, leaves::LeafCertificates};

/// The protocols offered after the handshake, the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [H2, b"http/1.1"];
pub(super) const H2: &[u8] = b"h2";

/// The source of the certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsOptions {
    /// An authority of the server, which signs only for the names of this machine.
    Own {
        /// Where the authority is stored, and created if it is missing. `None` creates one in memory, which ends with
        /// the process.
        folder: Option<PathBuf>,
    },
    /// Files with a certificate chain, which begins with the server's own certificate, and its key.
    Given { cert: PathBuf, key: PathBuf },
}

/// The reason why TLS could not be set up. An error never quotes a key.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable { path: PathBuf, why: io::Error },
    #[error("{} cannot be written: {why}", path.display())]
    Unwritable { path: PathBuf, why: io::Error },
    #[error("{} contains no certificate. Give a PEM file with BEGIN CERTIFICATE", .0.display())]
    NoCertificate(PathBuf),
    #[error("{} contains no private key. Give a PEM file with BEGIN PRIVATE KEY", .0.display())]
    NoKey(PathBuf),
    #[error("the key in {} is protected with a passphrase; save it without one: openssl pkey -in {} -out unlocked.key", .0.display(), .0.display())]
    Locked(PathBuf),
    #[error("the type of the key in {} is not supported: {why}", path.display())]
    OddKey { path: PathBuf, why: String },
    #[error("the certificate in {} is not valid: {why}", path.display())]
    OddCertificate { path: PathBuf, why: String },
    #[error("the key in {} does not belong to the first certificate in {}", key.display(), cert.display())]
    Mismatch { cert: PathBuf, key: PathBuf },
    #[error("the certificate in {} has expired: it was valid until {}", path.display(), iso_time(*.until))]
    Expired { path: PathBuf, until: u64 },
    #[error("the certificate in {} is not valid yet: it is valid from {}", path.display(), iso_time(*.from))]
    NotYetValid { path: PathBuf, from: u64 },
    #[error("{} contains the key of a certificate authority and others can read it: chmod 600 it, or remove the \
     folder and trust a new one", .0.display())]
    ReadableByOthers(PathBuf),
    #[error("the authority in {} can only sign the names it was created for, not {names}; name another folder with \
     --tls-dir, or use --tls-cert and --tls-key", folder.display())]
    OtherNames { folder: PathBuf, names: String },
    #[error("a certificate cannot be issued for '{0}'")]
    OddName(String),
    #[error("the certificate could not be created: {0}")]
    CreationFailed(String),
}

/// A TLS configuration that is ready for handshakes.
#[derive(Clone)]
pub(super) struct TlsSetup {
    pub config: Arc<ServerConfig>,
    pub ca: Option<AuthorityCertificate>,
}

/// The certificate of the authority that callers have to trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorityCertificate {
    /// The certificate as PEM.
    pub certificate: String,
    /// The path of its file; `None` if it exists only in memory.
    pub path: Option<PathBuf>,
}

impl fmt::Debug for TlsSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secured").field("ca", &self.ca).finish_non_exhaustive()
    }
}

impl TlsOptions {
    /// Loads or creates the certificates. `bind` and `names` are the address and the names of the server in addition to
    /// loopback.
    pub(super) fn load(&self, bind: Option<IpAddr>, names: &[String]) -> Result<TlsSetup, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let (resolver, ca): (Arc<dyn ResolvesServerCert>, _) = match self {
            Self::Given { cert, key } => (Arc::new(supplied::load_certificate(cert, key, &provider)?), None),
            Self::Own { folder } => {
                let wanted = CertificateNames::new(bind, names)?;
                let (authority, path) = match folder {
                    Some(folder) => {
                        let (authority, path) = authority_folder::open_authority(folder, &wanted)?;
                        (authority, Some(path))
                    }
                    None => (CertificateAuthority::create(&wanted)?, None),
                };
                let ca = AuthorityCertificate { certificate: authority.certificate().to_owned(), path };
                let place = folder.as_deref().unwrap_or_else(|| Path::new("memory"));
                (Arc::new(LeafCertificates::for_server(authority, &wanted, place, &provider)?), Some(ca))
            }
        };
        Ok(TlsSetup { config: Arc::new(server_config(provider, resolver)?), ca })
    }
}

fn server_config(
    provider: Arc<CryptoProvider>,
    resolver: Arc<dyn ResolvesServerCert>,
) -> Result<ServerConfig, TlsError> {
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|why| TlsError::CreationFailed(why.to_string()))?;
    let mut config = builder.with_no_client_auth().with_cert_resolver(resolver);
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

/// The names and addresses that an authority signs for.
pub(super) struct CertificateNames {
    pub names: Vec<String>,
    pub addresses: Vec<IpAddr>,
}

impl CertificateNames {
    /// Collects the names and addresses in addition to those of loopback, which are always included.
    fn new(bind: Option<IpAddr>, allowed: &[String]) -> Result<Self, TlsError> {
        let mut wanted = Self { names: Vec::new(), addresses: Vec::new() };
        wanted.addresses.extend(bind.filter(|ip| !ip.is_unspecified() && !ip.to_canonical().is_loopback()));
        for name in allowed {
            let bare = name.trim_start_matches('[').trim_end_matches(']');
            match bare.parse::<IpAddr>() {
                Ok(ip) => wanted.addresses.push(ip),
                Err(_) if is_host_name(name) => wanted.names.push(name.to_ascii_lowercase()),
                Err(_) => return Err(TlsError::OddName(name.clone())),
            }
        }
        Ok(wanted)
    }

    /// Lists the names and addresses for an error message.
    fn describe_extra_names(&self) -> String {
        let addresses = self.addresses.iter().map(ToString::to_string);
        self.names.iter().cloned().chain(addresses).collect::<Vec<_>>().join(", ")
    }
}

/// Returns whether the text is a valid host name of letters, digits, hyphens and dots.
fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// Formats seconds since 1970 as `2026-01-05T09:00:00Z`.
fn iso_time(unix: u64) -> String {
    let at = i64::try_from(unix).map(roost_model::time::Timestamp::from_unix);
    at.map_or_else(|_| "the end of time".to_owned(), |at| at.to_iso())
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
