//! `--public-url`, `--allow-host`, `--allow-origin` and `--world-prefix`: a server behind another address, called by
//! pages, or one of several.

use clap::Args;
use roost_emulator::{EmulatorConfig, PageOrigin, PublicUrl, WorldPrefix};

#[derive(Args)]
pub(super) struct NetworkOptions {
    /// The address by which callers reach this server if it is not where it listens, for example behind a proxy. Addresses
    /// in answers begin with it. When left out, they begin with the host name that the caller used.
    #[arg(long, env = "ROOST_PUBLIC_URL", value_name = "URL")]
    public_url: Option<PublicUrl>,
    /// Web pages of these origins may call the interface and the admin interface, for example http://localhost:5173. They
    /// need the key or the token like any other caller.
    #[arg(long, env = "ROOST_ALLOW_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    allow_origin: Vec<PageOrigin>,
    /// The names of new worlds begin with this word and a hyphen, so that a proxy before several servers knows where a
    /// world is.
    #[arg(long, env = "ROOST_WORLD_PREFIX", value_name = "WORD")]
    world_prefix: Option<WorldPrefix>,
}

impl NetworkOptions {
    pub(super) fn put_into(&self, config: &mut EmulatorConfig) {
        config.allow_origins = self.allow_origin.clone();
        config.start.public_url = self.public_url.clone();
        config.start.world_prefix = self.world_prefix.clone();
    }
}

/// Reads the name of a host as callers send it.
pub(super) fn parse_host(text: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    if text.chars().all(is_part) {
        Ok(text.to_owned())
    } else {
        Err("expected the name of a host, for example roost.example".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_no_other_characters_than_its_name_and_port() {
        for host in ["roost.example", "my_host", "roost:4010", "[::1]", "10.0.0.7"] {
            assert_eq!(parse_host(host).as_deref(), Ok(host));
        }
        for other in ["a b", "http://roost.example", "roost.example/x", "r\u{f6}ost"] {
            assert!(parse_host(other).is_err(), "{other}");
        }
    }
}
