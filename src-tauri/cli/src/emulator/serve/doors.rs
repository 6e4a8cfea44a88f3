//! `--tls`, `--unix` and related options: how callers get in, and with which certificate the server identifies itself.

use std::path::{PathBuf, absolute};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_app::find_data_folder;
use roost_emulator::{EmulatorConfig, TlsOptions};

use crate::{failure::CliFailure, outputs::OwnPath};

#[derive(Args)]
pub(super) struct DoorArgs {
    /// Serve TLS and HTTP/2 with a certificate from Roost's own authority. The authority is created once, for names of
    /// this machine only, and kept in the data folder. Clients trust its file, which is printed and named in the ready
    /// file.
    #[arg(long, env = "ROOST_TLS", value_name = "HOW")]
    tls: Option<TlsMode>,
    /// The folder of that authority. Default: the data folder.
    #[arg(long, env = "ROOST_TLS_DIR", value_name = "DIR")]
    tls_dir: Option<OwnPath>,
    /// Serve TLS with this certificate (PEM), followed by any intermediate certificates.
    #[arg(long, env = "ROOST_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// Its private key (PEM), without a passphrase.
    #[arg(long, env = "ROOST_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Also listen on a Unix socket, which only this user can open. It speaks plain HTTP.
    #[arg(long, env = "ROOST_UNIX", value_name = "PATH")]
    unix: Option<OwnPath>,
    /// Do not listen on a port, only on the socket.
    #[arg(long, env = "ROOST_NO_PORT", value_parser = BoolishValueParser::new())]
    no_port: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TlsMode {
    #[value(name = "self")]
    Own,
    Off,
}

impl DoorArgs {
    pub(super) fn apply_to(&self, config: &mut EmulatorConfig) -> Result<(), CliFailure> {
        config.tls = self.tls_config()?;
        config.unix = self.unix.as_ref().map(|path| path.as_ref().to_owned());
        config.no_port = self.no_port;
        Ok(())
    }

    fn tls_config(&self) -> Result<Option<TlsOptions>, CliFailure> {
        match (self.tls, &self.tls_cert, &self.tls_key) {
            (Some(TlsMode::Off), ..) | (None, None, None) => Ok(None),
            (Some(TlsMode::Own), None, None) => {
                let given = self.tls_dir.as_ref().map(|path| path.as_ref().to_owned());
                let folder = given.or_else(|| Some(find_data_folder()?.join("tls")));
                let folder = folder.ok_or_else(|| {
                    CliFailure::new(
                        "the data folder is unknown; name a folder with \
                 --tls-dir",
                    )
                })?;
                // Programs in other folders read the path of the authority file, so it must be absolute.
                let folder = absolute(&folder).unwrap_or(folder);
                Ok(Some(TlsOptions::Own { folder: Some(folder) }))
            }
            (None, Some(cert), Some(key)) => Ok(Some(TlsOptions::Given { cert: cert.clone(), key: key.clone() })),
            (Some(TlsMode::Own), ..) => {
                Err(CliFailure::new("--tls self creates its own certificate. Remove --tls-cert and --tls-key."))
            }
            (None, Some(_), None) => Err(CliFailure::new("--tls-cert needs its private key: add --tls-key FILE.")),
            (None, None, Some(_)) => Err(CliFailure::new("--tls-key needs its certificate: add --tls-cert FILE.")),
        }
    }
}
