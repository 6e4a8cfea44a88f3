//! Certificates that the user provides, and the errors about invalid files.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P384_SHA384};
use roost_emulator::TlsOptions;
use tempfile::TempDir;

use super::{H1, H2, LISTS, ask_once, readable_setup, shake_hands, trusting_config};

const DAY: Duration = Duration::from_secs(86_400);

struct PemFiles {
    folder: TempDir,
}

impl PemFiles {
    fn new() -> Self {
        Self { folder: TempDir::new().expect("a folder") }
    }

    fn write_file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("written");
        path
    }
}

fn make_certificate(key: &KeyPair, tune: impl FnOnce(&mut CertificateParams)) -> String {
    let mut params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    tune(&mut params);
    params.self_signed(key).expect("signed").pem()
}

#[test]
fn a_certificate_of_ones_own_is_shown() {
    let files = PemFiles::new();
    for key in [KeyPair::generate().expect("a key"), KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).expect("a key")] {
        let root = make_certificate(&key, |_| {});
        let tls = TlsOptions::Given {
            cert: files.write_file("cert", &root),
            key: files.write_file("key", key.serialize_pem()),
        };
        let mut setup = readable_setup();
        setup.config.tls = Some(tls);
        let api = setup.serve();
        assert!(api.url().starts_with("https://127.0.0.1:"));
        let line = shake_hands(api.address(), "localhost", &trusting_config(&root, &[H1, H2])).expect("hands shaken");
        assert_eq!(line.conn.alpn_protocol(), Some(H2));
        let line = shake_hands(api.address(), "localhost", &trusting_config(&root, &[H1])).expect("hands shaken");
        let (head, _) = ask_once(line, &format!("GET {LISTS} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: a-key"));
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        // The certificate is valid for its own names only.
        shake_hands(api.address(), "a.localhost", &trusting_config(&root, &[])).map(|_| ()).expect_err("another name");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a certificate is valid for a period of real time")]
fn what_is_wrong_with_a_file_is_reported_before_anybody_calls() {
    let files = PemFiles::new();
    let (key, other) = (KeyPair::generate().expect("a key"), KeyPair::generate().expect("a key"));
    let (good, own) = (
        files.write_file("good.pem", make_certificate(&key, |_| {})),
        files.write_file("own.key", key.serialize_pem()),
    );
    let put = |name: &str, text: &str| files.write_file(name, text);
    let now = SystemTime::now();
    let old = make_certificate(&key, |params| params.not_after = (now - DAY).into());
    let early = make_certificate(&key, |params| params.not_before = (now + DAY).into());
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nc2VjcmV0\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let locked_before = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n";
    let odd = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
    let spoilt = "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n";
    let missing = files.folder.path().join("missing");
    for (cert, key, words) in [
        (missing.clone(), own.clone(), ["missing", "cannot be read"]),
        (good.clone(), missing, ["missing", "cannot be read"]),
        (files.folder.path().to_owned(), own.clone(), ["", "cannot be read"]),
        (put("text.pem", "not for logs"), own.clone(), ["text.pem", "contains no certificate"]),
        (own.clone(), own.clone(), ["own.key", "contains no certificate"]),
        (put("spoilt.pem", spoilt), own.clone(), ["spoilt.pem", "is not valid"]),
        (good.clone(), put("text.key", "not for logs"), ["text.key", "contains no private key"]),
        (good.clone(), good.clone(), ["good.pem", "contains no private key"]),
        (good.clone(), put("locked.key", locked), ["locked.key", "passphrase"]),
        (good.clone(), put("before.key", locked_before), ["before.key", "openssl pkey"]),
        (good.clone(), put("odd.key", odd), ["odd.key", "is not supported"]),
        (good.clone(), put("other.key", &other.serialize_pem()), ["other.key", "does not belong to"]),
        (put("old.pem", &old), own.clone(), ["old.pem", "has expired: it was valid until 20"]),
        (put("early.pem", &early), own.clone(), ["early.pem", "not valid yet: it is valid from 20"]),
    ] {
        let mut setup = readable_setup();
        setup.config.tls = Some(TlsOptions::Given { cert, key });
        let why = setup.try_serve().map(|_| ()).expect_err(words[0]).to_string();
        assert!(words.iter().all(|word| why.contains(word)), "{words:?}: {why}");
        assert!(!why.contains("not for logs") && !why.contains("c2VjcmV0"), "{why}");
    }
}
