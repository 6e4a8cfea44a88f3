//! `--seed-watch`: a server that is put back to its seed whenever the file of the seed changes.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use roost_emulator::{EmulatorHandle, client::AdminClient};
use tokio::task::JoinHandle;

use crate::{failure::CliFailure, terminal::print_warning};

/// How often the file is looked at. A change is read once two looks are alike, so that it is complete.
const PAUSE: Duration = Duration::from_millis(250);

/// Ends when it is dropped.
pub(super) struct Watch(JoinHandle<()>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// When a file was written last, and its length; none while there is no such file.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(path: &Path) -> Stamp {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Watches a file that holds `seed` now.
pub(super) fn begin(handle: &EmulatorHandle, path: &Path, seed: Vec<u8>) -> Result<Watch, CliFailure> {
    if !fs::metadata(path).is_ok_and(|about| about.is_file()) {
        return Err(CliFailure::new(format!("--seed-watch needs a file, and {} is not a file.", path.display())));
    }
    let admin = handle.admin().map_err(CliFailure::new)?;
    Ok(Watch(tokio::spawn(follow(admin, path.to_owned(), seed))))
}

async fn follow(admin: AdminClient, path: PathBuf, mut seed: Vec<u8>) {
    // A change between the start and the first look is seen by the text.
    let (mut read, mut last) = (None, stamp(&path));
    loop {
        tokio::time::sleep(PAUSE).await;
        let now = stamp(&path);
        if now != last || now == read {
            last = now;
            continue;
        }
        read = now;
        let text = match fs::read(&path) {
            Ok(text) if text == seed => continue,
            Ok(text) => text,
            Err(why) => {
                print_warning(&format!("the seed {} cannot be read, so nothing was changed: {why}", path.display()));
                continue;
            }
        };
        seed.clone_from(&text);
        match admin.call_with_text("PUT", "/seed", text).await {
            Ok(_) => print_warning(&format!(
                "reset to the changed seed {}; fault rules, policies, receivers and the journal were reset too",
                path.display()
            )),
            Err(why) => print_warning(&format!("not reset to the seed {}: {why}", path.display())),
        }
    }
}
