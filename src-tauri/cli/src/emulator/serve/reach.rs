//! `--public-url`, `--allow-origin` and `--world-prefix`: a server behind another address, called by pages, or one of several.

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
