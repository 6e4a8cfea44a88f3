//! `roost export`: a whole account as a seed file.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::Args;
use roost_ops::{Core, Ctx, seed};

use crate::{
    failure::Failure,
    file::{Lasting, write_whole},
};

#[derive(Args)]
pub struct Export {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Where to write; standard output when left out.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What short URLs begin with where a link has no base of its own.
    #[arg(long, env = "ROOST_SET_SHORT_LINK_BASE", value_name = "URL", default_value = "http://127.0.0.1:4010/s")]
    short_link_base: String,
}

/// Either the account or the file refuses.
enum Broken {
    Account(roost_ops::Error),
    File(io::Error),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl Export {
    pub fn run(self) -> Result<(), Failure> {
        if !self.db.is_file() {
            return Err(Failure::new(format!("{} is no account file; name one with --db", self.db.display())));
        }
        let core = Core::open(&self.db, Ctx::system()).map_err(Failure::new)?;
        let write = |out: &mut dyn Write| seed::export(&core, &self.short_link_base, out).map_err(Broken::Account);
        let (done, target) = match &self.out {
            Some(path) => (write_whole(path, Lasting::Surely, write), path.display().to_string()),
            None => {
                let mut out = io::BufWriter::new(io::stdout().lock());
                (write(&mut out).and_then(|()| Ok(out.flush()?)), "standard output".to_owned())
            }
        };
        done.map_err(|broken| match broken {
            Broken::Account(error) => Failure::new(error),
            Broken::File(error) => Failure::new(format!("{target} cannot be written: {error}")),
        })
    }
}
