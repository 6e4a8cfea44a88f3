//! TLS: whose certificate the server shows, and what it speaks behind it.

mod authority;
mod given;
mod kept;
mod leaves;

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

use self::{authority::Authority, leaves::Leaves};

/// What may be spoken behind the handshake, the better first.
const PROTOCOLS: [&[u8]; 2] = [H2, b"http/1.1"];
pub const H2: &[u8] = b"h2";

/// Where the certificates come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tls {
    /// From an authority of its own, which signs for this machine's names alone.
    Own {
        /// Where it is kept, and made when it is not there; none: made anew, and gone with the process.
        folder: Option<PathBuf>,
    },
    /// From files: a chain that begins with the server's own certificate, and its key.
    Given { cert: PathBuf, key: PathBuf },
}

/// Why there is no TLS. Nothing of a key is ever told.
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
    #[error("the certificate in {} has expired: it was valid until {}", path.display(), day(*.until))]
    Expired { path: PathBuf, until: u64 },
    #[error("the certificate in {} is not valid yet: it is valid from {}", path.display(), day(*.from))]
    NotYet { path: PathBuf, from: u64 },
    #[error("{} contains the key of a certificate authority and others can read it: chmod 600 it, or remove the \
     folder and trust a new one", .0.display())]
    Open(PathBuf),
    #[error("the authority in {} can only sign the names it was created for, not {names}; name another folder with \
     --tls-dir, or use --tls-cert and --tls-key", folder.display())]
    OtherNames { folder: PathBuf, names: String },
    #[error("a certificate cannot be issued for '{0}'")]
    OddName(String),
    #[error("the certificate could not be created: {0}")]
    NotMade(String),
}

/// Ready to shake hands.
#[derive(Clone)]
pub struct Secured {
    pub config: Arc<ServerConfig>,
    pub ca: Option<Ca>,
}

/// The authority whose certificate callers have to trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ca {
    /// PEM.
    pub certificate: String,
    /// Where it stands, unless it is in memory alone.
    pub path: Option<PathBuf>,
}

impl fmt::Debug for Secured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secured").field("ca", &self.ca).finish_non_exhaustive()
    }
}

impl Tls {
    /// `bind` and `names` are where and as what the server is called besides the names of loopback.
    pub(super) fn load(&self, bind: Option<IpAddr>, names: &[String]) -> Result<Secured, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let (resolver, ca): (Arc<dyn ResolvesServerCert>, _) = match self {
            Self::Given { cert, key } => (Arc::new(given::read(cert, key, &provider)?), None),
            Self::Own { folder } => {
                let wanted = Wanted::new(bind, names)?;
                let (authority, path) = match folder {
                    Some(folder) => {
                        let (authority, path) = kept::open(folder, &wanted)?;
                        (authority, Some(path))
                    }
                    None => (Authority::make(&wanted)?, None),
                };
                let ca = Ca { certificate: authority.certificate().to_owned(), path };
                let place = folder.as_deref().unwrap_or_else(|| Path::new("memory"));
                (Arc::new(Leaves::of(authority, &wanted, place, &provider)?), Some(ca))
            }
        };
        Ok(Secured { config: Arc::new(config(provider, resolver)?), ca })
    }
}

fn config(provider: Arc<CryptoProvider>, resolver: Arc<dyn ResolvesServerCert>) -> Result<ServerConfig, TlsError> {
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|why| TlsError::NotMade(why.to_string()))?;
    let mut config = builder.with_no_client_auth().with_cert_resolver(resolver);
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

/// What an authority and its certificates stand for.
pub(super) struct Wanted {
    pub names: Vec<String>,
    pub addresses: Vec<IpAddr>,
}

impl Wanted {
    /// Names of loopback are always there.
    fn new(bind: Option<IpAddr>, allowed: &[String]) -> Result<Self, TlsError> {
        let mut wanted = Self { names: Vec::new(), addresses: Vec::new() };
        wanted.addresses.extend(bind.filter(|ip| !ip.is_unspecified() && !ip.to_canonical().is_loopback()));
        for name in allowed {
            let bare = name.trim_start_matches('[').trim_end_matches(']');
            match bare.parse::<IpAddr>() {
                Ok(ip) => wanted.addresses.push(ip),
                Err(_) if is_plain(name) => wanted.names.push(name.to_ascii_lowercase()),
                Err(_) => return Err(TlsError::OddName(name.clone())),
            }
        }
        Ok(wanted)
    }

    /// Those besides loopback's own, for a message.
    fn told(&self) -> String {
        let addresses = self.addresses.iter().map(ToString::to_string);
        self.names.iter().cloned().chain(addresses).collect::<Vec<_>>().join(", ")
    }
}

/// Letters, digits, hyphens and dots, as names of hosts are written.
fn is_plain(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// `2026-01-05T09:00:00Z` of seconds since 1970.
fn day(unix: u64) -> String {
    let at = i64::try_from(unix).map(roost_model::time::Timestamp::from_unix);
    at.map_or_else(|_| "the end of time".to_owned(), |at| at.iso())
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
