//! A certificate authority of the server: callers trust its one certificate, and it signs certificates for the names of
//! this machine.

use std::{net::IpAddr, time::SystemTime};

use rand::Rng as _;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints, PKCS_ECDSA_P256_SHA256, SanType,
    SerialNumber,
};
use rustls::pki_types::{CertificateDer, pem::PemObject};

use super::{CertificateNames, DAY, TlsError};

/// How long the authority is valid. People add it to a list of trusted authorities, so it is rarely replaced.
const AUTHORITY_YEARS: u32 = 10;
/// How long a signed certificate is valid. Some callers refuse certificates that are valid for more than about thirteen
/// months.
const LEAF_DAYS: u32 = 365;
const AUTHORITY_NAME: &str = "Roost on this machine";
const LOCALHOST: &str = "localhost";

/// A certificate authority with its key. The key is written only to the file of the authority.
pub(super) struct CertificateAuthority {
    certificate: String,
    der: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

impl CertificateAuthority {
    /// Creates an authority that can sign only for loopback and the wanted names, whoever has its key.
    pub(super) fn create(wanted: &CertificateNames) -> Result<Self, TlsError> {
        let key = new_key()?;
        let mut params = base_parameters();
        params.not_after = (current_time() + DAY * 365 * AUTHORITY_YEARS).into();
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let addresses = wanted.addresses.iter().map(|ip| single_address(*ip));
        let names = wanted.names.iter().cloned().map(GeneralSubtree::DnsName);
        let loopback = [
            GeneralSubtree::DnsName(LOCALHOST.to_owned()),
            GeneralSubtree::IpAddress(CidrSubnet::from_v4_prefix([127, 0, 0, 0], 8)),
            GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]), 128)),
        ];
        params.name_constraints = Some(NameConstraints {
            permitted_subtrees: loopback.into_iter().chain(names).chain(addresses).collect(),
            excluded_subtrees: Vec::new(),
        });
        let certificate = params.self_signed(&key).map_err(|why| TlsError::CreationFailed(why.to_string()))?;
        Ok(Self { certificate: certificate.pem(), der: certificate.der().clone(), issuer: Issuer::new(params, key) })
    }

    /// Reads the certificate and the key of an authority from text; `None` if either is missing or invalid.
    pub(super) fn from_pem(text: &str) -> Option<Self> {
        let key = KeyPair::from_pem(text).ok()?;
        let der = CertificateDer::from_pem_slice(text.as_bytes()).ok()?.into_owned();
        let from = text.find(PEM_BEGIN)?;
        let to = from + text[from..].find(PEM_END)? + PEM_END.len();
        let certificate = format!("{}\n", &text[from..to]);
        Some(Self { certificate, der, issuer: Issuer::new(base_parameters(), key) })
    }

    /// Writes the certificate and the key as the text that [`CertificateAuthority::from_pem`] reads.
    pub(super) fn to_pem(&self) -> String {
        format!("{}{}", self.issuer.key().serialize_pem(), self.certificate)
    }

    /// Returns the certificate as PEM, for callers that are to trust it.
    pub(super) fn certificate(&self) -> &str {
        &self.certificate
    }

    pub(super) fn der(&self) -> &CertificateDer<'static> {
        &self.der
    }

    /// Signs a certificate for a server with these names and addresses.
    pub(super) fn sign_certificate(
        &self,
        key: &KeyPair,
        names: &[&str],
        addresses: &[IpAddr],
    ) -> Result<CertificateDer<'static>, TlsError> {
        let mut leaf = base_parameters();
        leaf.distinguished_name = distinguished_name(names.first().copied().unwrap_or(AUTHORITY_NAME));
        leaf.not_after = (current_time() + DAY * LEAF_DAYS).into();
        leaf.use_authority_key_identifier_extension = true;
        leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        for name in names {
            let name = (*name).try_into().map_err(|_| TlsError::OddName((*name).to_owned()))?;
            leaf.subject_alt_names.push(SanType::DnsName(name));
        }
        leaf.subject_alt_names.extend(addresses.iter().copied().map(SanType::IpAddress));
        let signed = leaf.signed_by(key, &self.issuer).map_err(|why| TlsError::CreationFailed(why.to_string()))?;
        Ok(signed.der().clone())
    }
}

const PEM_BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const PEM_END: &str = "-----END CERTIFICATE-----";

pub(super) fn new_key() -> Result<KeyPair, TlsError> {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|why| TlsError::CreationFailed(why.to_string()))
}

/// Builds the parameters that every certificate has. Every authority has the same name, so that one that was read from
/// its file can continue signing with the key alone.
fn base_parameters() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = distinguished_name(AUTHORITY_NAME);
    // The clocks of containers may be wrong by hours.
    params.not_before = (current_time() - DAY).into();
    let mut serial = random_serial();
    // The serial number must be positive and have no leading zero.
    serial[0] = serial[0] & 0x7f | 0x40;
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    params
}

/// Returns the real time, by which callers verify certificates. No world's clock moves it.
#[expect(clippy::disallowed_methods, reason = "certificates are valid by real time")]
fn current_time() -> SystemTime {
    SystemTime::now()
}

#[expect(clippy::disallowed_methods, reason = "browsers refuse an issuer that repeats a serial number")]
fn random_serial() -> [u8; 16] {
    rand::rng().random()
}

fn distinguished_name(name: &str) -> DistinguishedName {
    let mut named = DistinguishedName::new();
    named.push(DnType::OrganizationName, "Roost");
    named.push(DnType::CommonName, name);
    named
}

fn single_address(ip: IpAddr) -> GeneralSubtree {
    GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(ip, if ip.is_ipv4() { 32 } else { 128 }))
}
