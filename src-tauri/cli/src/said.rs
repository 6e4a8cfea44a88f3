//! Standard output, where programs and people read.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        // Whoever read it has read enough.
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|why| Failure::new(format!("standard output cannot be written: {why}"))),
    }
}

pub fn say_json(answer: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(answer).map_err(Failure::new)?;
    say(&format!("{text}\n"))
}
