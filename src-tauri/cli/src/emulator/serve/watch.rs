//! `--seed-watch`: a server that is put back to its seed whenever the file of the seed changes.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use roost_emulator::{Handle, client::Admin};
use tokio::task::JoinHandle;

use crate::{failure::Failure, said::warn};

/// How often the file is looked at. A change is read once two looks are alike, so that it is complete.
const PAUSE: Duration = Duration::from_millis(250);

/// Ends when it is dropped.
pub struct Watch(JoinHandle<()>);

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
pub fn begin(handle: &Handle, path: &Path, seed: Vec<u8>) -> Result<Watch, Failure> {
    if !fs::metadata(path).is_ok_and(|about| about.is_file()) {
        return Err(Failure::new(format!("--seed-watch needs a file, and {} is none.", path.display())));
    }
    let admin = handle.admin().map_err(Failure::new)?;
    Ok(Watch(tokio::spawn(follow(admin, path.to_owned(), seed))))
}

async fn follow(admin: Admin, path: PathBuf, mut seed: Vec<u8>) {
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
                warn(&format!("nothing was changed: the seed {} cannot be read: {why}", path.display()));
                continue;
            }
        };
        seed.clone_from(&text);
        match admin.send_text("PUT", "/seed", text).await {
            Ok(_) => warn(&format!("put back to the changed seed {}", path.display())),
            Err(why) => warn(&format!("nothing was changed: the seed {}: {why}", path.display())),
        }
    }
}
