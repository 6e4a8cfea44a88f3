//! A pull in a separate process, so that its memory is measured alone, and helpers for all benchmarks of the sync.

use std::{error::Error, path::Path, sync::Arc, time::Instant};

use roost_ops::{Core, Ctx};
use roost_reconcile::pace::Rate;
use roost_store::tables::sync::connection::{self, Connection};
use roost_sync::{
    Client, Progress,
    pull::{self, Asked},
    remote::{Key, Line, Settings},
};
use serde::{Deserialize, Serialize};

use crate::memory;

#[derive(Debug, Serialize, Deserialize)]
pub struct Ran {
    pub seconds: f64,
    /// The peak memory in MiB since the start of the process.
    pub peak: f64,
    pub rows: u64,
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}

/// Returns the result of a probe of the emulator.
pub fn capabilities(all_in_one: bool) -> String {
    serde_json::json!({ "all_pages_read": all_in_one, "custom_fields": (1..=9).collect::<Vec<_>>() }).to_string()
}

pub fn connect(core: &Core, url: &str, all_in_one: bool) -> Result<(), Box<dyn Error>> {
    let connection = Connection {
        uid: "c".to_owned(),
        name: "Service".to_owned(),
        base_url: url.to_owned(),
        header: "X-AUTH-KEY".to_owned(),
        key_at: None,
        read_only: false,
        plain_http: false,
        paths: "{}".to_owned(),
        rates: "{}".to_owned(),
        capabilities: capabilities(all_in_one),
        learnt: "{}".to_owned(),
    };
    Ok(core.write_quietly(|tx| Ok(connection::set(tx, &connection)?))?)
}

pub fn client(url: &str, rate: Rate) -> Result<Client, Box<dyn Error>> {
    let mut settings = Settings::new(url)?;
    settings.key = Some(Key::new("X-AUTH-KEY", "bench")?);
    settings.rate = rate;
    Ok(Client::new(Arc::new(Line::new(false)), settings))
}

/// Pulls everything into a new account, as fast as the service answers.
pub fn run(url: &str, mode: &str, account: &Path) -> Result<Ran, Box<dyn Error>> {
    let core = Core::open(account, Ctx::system())?;
    connect(&core, url, mode == "whole")?;
    let client = client(url, Rate::new(1_000_000, 1))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let begun = Instant::now();
    let pulled = runtime.block_on(pull::pull(&core, &client, &Asked::default(), &Progress::default()))?;
    Ok(Ran { seconds: begun.elapsed().as_secs_f64(), peak: memory::peak()?, rows: pulled.merged.added })
}
