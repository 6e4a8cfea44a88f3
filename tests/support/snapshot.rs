//! Files under `tests/fixtures` that answers are compared with; `UPDATE_SNAPSHOTS=1` writes them anew.

use std::{fs, path::Path};

/// Fails unless the fixture holds exactly this text.
#[track_caller]
pub fn is(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, text).expect("the fixture can be written");
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    if kept == text {
        return;
    }
    let at = kept.lines().zip(text.lines()).take_while(|(a, b)| a == b).count();
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    panic!(
        "tests/fixtures/{name} differs from line {}:\n  kept {}\n  now  {}\nIf the change is meant, run again with UPDATE_SNAPSHOTS=1 and look at the diff.",
        at + 1,
        line(&kept),
        line(text)
    );
}
