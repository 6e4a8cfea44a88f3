//! Certificates that the authority signs on demand: one for the usual names of the server, and one for each name below
//! localhost, because callers refuse `*.localhost`.

use std::{
    collections::HashMap,
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use rcgen::KeyPair;
use rustls::{
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
    server::{ClientHello, ResolvesServerCert},
    sign::{CertifiedKey, SigningKey},
};

use super::{
    CertificateNames, TlsError,
    authority::{CertificateAuthority, new_key},
    is_host_name, supplied,
};

/// How many signed names are cached, because worlds are created and removed.
const MAX_CACHED: usize = 512;
const LOCALHOST: &str = "localhost";

/// The certificates of a server that its own authority has signed.
pub(super) struct LeafCertificates {
    authority: CertificateAuthority,
    key: KeyPair,
    signing: Arc<dyn SigningKey>,
    usual: Arc<CertifiedKey>,
    others: Mutex<HashMap<String, Arc<CertifiedKey>>>,
}

impl fmt::Debug for LeafCertificates {
    /// Leaves out the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaves").finish_non_exhaustive()
    }
}

impl LeafCertificates {
    /// Creates the certificates of a server. `folder` is the folder of the authority, for error messages.
    pub(super) fn for_server(
        authority: CertificateAuthority,
        wanted: &CertificateNames,
        folder: &Path,
        provider: &CryptoProvider,
    ) -> Result<Self, TlsError> {
        let key = new_key()?;
        let der = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let signing = provider.key_provider.load_private_key(der);
        let signing = signing.map_err(|why| TlsError::CreationFailed(why.to_string()))?;
        let names: Vec<&str> = std::iter::once(LOCALHOST).chain(wanted.names.iter().map(String::as_str)).collect();
        let mut addresses: Vec<IpAddr> = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        addresses.extend(&wanted.addresses);
        let signed = authority.sign_certificate(&key, &names, &addresses)?;
        supplied::check_certificate(&signed, authority.der(), provider)
            .map_err(|why| why.into_authority_error(folder, wanted))?;
        let usual = to_certified_key(signed, &signing);
        Ok(Self { authority, key, signing, usual, others: Mutex::default() })
    }

    fn certificate_below_localhost(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = others.get(name) {
            return Some(known.clone());
        }
        let certified_key =
            to_certified_key(self.authority.sign_certificate(&self.key, &[name], &[]).ok()?, &self.signing);
        if others.len() == MAX_CACHED {
            others.clear();
        }
        others.insert(name.to_owned(), certified_key.clone());
        Some(certified_key)
    }
}

fn to_certified_key(certificate: CertificateDer<'static>, key: &Arc<dyn SigningKey>) -> Arc<CertifiedKey> {
    Arc::new(CertifiedKey::new(vec![certificate], key.clone()))
}

impl ResolvesServerCert for LeafCertificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let requested_name = hello.server_name().map(str::to_ascii_lowercase);
        let below = requested_name.filter(|name| name.strip_suffix(".localhost").is_some_and(is_host_name));
        match below {
            Some(name) => self.certificate_below_localhost(&name),
            None => Some(self.usual.clone()),
        }
    }
}
