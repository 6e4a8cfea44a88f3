//! A pull in a separate process, so that its memory is measured alone, and helpers for all benchmarks of the sync.

use std::{error::Error, path::Path, sync::Arc, time::Instant};

use roost_ops::{Core, Ctx};
use roost_reconcile::pace::CallRate;
use roost_store::tables::sync::connection::{self, ServiceConnection};
use roost_sync::{
    Client, Progress,
    pull::{self, PullOptions},
    remote::{ConnectionSettings, KeyHeader, ServiceClient},
};
use serde::{Deserialize, Serialize};

use crate::memory;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PullRun {
    pub seconds: f64,
    /// The peak memory in MiB since the start of the process.
    pub peak: f64,
    pub rows: u64,
}

impl std::fmt::Display for PullRun {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}

/// Returns the result of a probe of the emulator.
pub(crate) fn probe_result(all_in_one: bool) -> String {
    serde_json::json!({ "all_pages_read": all_in_one, "custom_fields": (1..=9).collect::<Vec<_>>() }).to_string()
}

pub(crate) fn connect_account(core: &Core, url: &str, all_in_one: bool) -> Result<(), Box<dyn Error>> {
    let connection = ServiceConnection {
        uid: "c".to_owned(),
        name: "Service".to_owned(),
        base_url: url.to_owned(),
        header: "X-AUTH-KEY".to_owned(),
        key_at: None,
        read_only: false,
        plain_http: false,
        paths: "{}".to_owned(),
        rates: "{}".to_owned(),
        capabilities: probe_result(all_in_one),
        learnt: "{}".to_owned(),
    };
    Ok(core.write_quietly(|tx| Ok(connection::set(tx, &connection)?))?)
}

pub(crate) fn build_client(url: &str, rate: CallRate) -> Result<Client, Box<dyn Error>> {
    let mut settings = ConnectionSettings::new(url)?;
    settings.key = Some(KeyHeader::new("X-AUTH-KEY", "bench")?);
    settings.rate = rate;
    Ok(Client::new(Arc::new(ServiceClient::new(false)), settings))
}

/// Pulls everything into a new account, as fast as the service answers.
pub(crate) fn pull_all(url: &str, mode: &str, account: &Path) -> Result<PullRun, Box<dyn Error>> {
    let core = Core::open(account, Ctx::system())?;
    connect_account(&core, url, mode == "whole")?;
    let client = build_client(url, CallRate::new(1_000_000, 1))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let begun = Instant::now();
    let pulled = runtime.block_on(pull::run_pull(&core, &client, &PullOptions::default(), &Progress::default()))?;
    Ok(PullRun { seconds: begun.elapsed().as_secs_f64(), peak: memory::peak_mib()?, rows: pulled.merged.added })
}
