//! `roost import`: files of contacts into a list, by the same passes as in the window; or a seed into a server.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::PathBuf,
    time::Duration,
};

use clap::{Args, builder::BoolishValueParser};
use roost_app::file::{Lasting, write_whole};
use roost_ops::{
    By, Core, Ctx,
    export::Broken,
    import::{
        mapping::{OpenMapping, Profile},
        session::{
            ImportRehearsal, ImportSettings, ImportSource, ImportState, ImportTarget, ImportWork, profiles,
            target_named,
        },
        verdicts::Counts,
    },
};
use serde_json::{Value, json};

use crate::{
    emulator::{Exchange, Mode},
    failure::Failure,
    said::{plain_json, say, say_as_it_is},
};

/// Some rows were left out.
const SOME_LEFT_OUT: u8 = 1;
/// News are told this often.
const NEWS: Duration = Duration::from_millis(500);

#[derive(Args)]
pub struct Import {
    /// Files of contacts: CSV or other text, XLSX, ODS, vCard, JSON; packed or not. Several become one.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: Option<PathBuf>,
    #[command(flatten)]
    exchange: Exchange,
    /// What becomes of what a server holds; needed with --server, which takes a seed (JSON, YAML) or an account file.
    #[arg(long, env = "ROOST_IMPORT_MODE", value_enum)]
    mode: Option<Mode>,
    /// The list, by its name or uid; a name that no list has is that of a new one.
    #[arg(long, env = "ROOST_IMPORT_LIST", value_name = "NAME", required_unless_present = "server")]
    list: Option<String>,
    /// What the columns mean: a mapping that was saved as a file. Found out when left out.
    #[arg(long, env = "ROOST_IMPORT_MAP", value_name = "FILE")]
    map: Option<PathBuf>,
    /// The region of numbers without a country, such as GB; that of most contacts when left out.
    #[arg(long, env = "ROOST_IMPORT_REGION", value_name = "CODE")]
    region: Option<String>,
    /// Takes what comes before the place where a file is broken.
    #[arg(long, env = "ROOST_IMPORT_TAKE_PART", value_parser = BoolishValueParser::new())]
    take_part: bool,
    /// How many opt-outs the columns of consent may add; needed when there are any.
    #[arg(long, env = "ROOST_IMPORT_OPT_OUTS", value_name = "COUNT")]
    opt_outs: Option<u64>,
    /// Only say what would be done.
    #[arg(long, env = "ROOST_IMPORT_DRY_RUN", value_parser = BoolishValueParser::new())]
    dry_run: bool,
    /// Where to write the rows that are left out, each with what is wrong with it.
    #[arg(long, env = "ROOST_IMPORT_REJECTS", value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Say it as JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// An import that goes when this does, unless it was accepted.
struct Under<'a> {
    core: &'a Core,
    import: u64,
    is_told: bool,
}

impl Drop for Under<'_> {
    fn drop(&mut self) {
        // Nothing of it is wanted any more; what cannot be removed goes by itself in a month.
        let _ = self.core.imports().discard(self.core, self.import);
    }
}

impl Import {
    /// 0: everything is in. 1: some rows were left out. 2, by way of the failure: nothing was done.
    pub fn run(self) -> Result<u8, Failure> {
        if self.exchange.is_meant(self.db.as_deref())? {
            return self.exchange.import(&self.files, self.mode, self.json);
        }
        if self.mode.is_some() {
            return Err(Failure::new("--mode is for --server; contacts are merged as the file is rehearsed"));
        }
        let db = self.db.clone().unwrap_or_default();
        super::check_existing(&db)?;
        let profile = self.profile()?;
        let core = Core::open(&db, Ctx::system()).map_err(Failure::new)?;
        let done = self.import(&core, profile);
        core.end();
        done
    }

    fn profile(&self) -> Result<Option<Profile>, Failure> {
        let Some(path) = &self.map else { return Ok(None) };
        let told = |why: &dyn std::fmt::Display| Failure::new(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|why| told(&why))?;
        Profile::read(&text).map(Some).map_err(|why| told(&why))
    }

    fn import(&self, core: &Core, profile: Option<Profile>) -> Result<u8, Failure> {
        let target = target_named(core, self.list.as_deref().unwrap_or_default()).map_err(Failure::new)?;
        let is_new = matches!(target, ImportTarget::NewList(_));
        let sources = self.files.iter().cloned().map(ImportSource::Path).collect();
        let begun = core.imports().open_passing(core, sources, target);
        let is_told = !self.json && io::stderr().is_terminal();
        let under = Under { core, import: begun.map_err(Failure::new)?, is_told };
        let mut state = under.wait()?;
        if self.take_part {
            for file in &state.files {
                if file.broken.is_some() && file.found.is_some() {
                    let settings = ImportSettings { takes_part: true, ..file.settings.clone() };
                    core.imports().read_as(core, under.import, file.file, settings).map_err(Failure::new)?;
                }
            }
            state = under.wait()?;
        }
        if let Some((file, broken)) = state.files.iter().find_map(|file| Some((file, file.broken.as_ref()?)))
            && !file.settings.takes_part
        {
            let hint = match broken.rows_before {
                0 => String::new(),
                rows => format!(" The {rows} rows in front of it can be taken with --take-part."),
            };
            return Err(Failure::new(format!("{}: {}{hint}", file.name, broken.message)));
        }
        self.map(core, under.import, profile)?;
        core.imports().rehearse(core, under.import).map_err(Failure::new)?;
        under.wait()?;
        let rehearsal = core.imports().rehearsal(core, under.import).map_err(Failure::new)?;
        if let Some(path) = &self.rejects {
            let written = write_whole(path, Lasting::Surely, |out| {
                core.imports().write_invalid(core, under.import, out).map(drop)
            });
            written.map_err(|broken| match broken {
                Broken::Account(why) => Failure::new(why),
                Broken::File(why) => Failure::new(format!("{} cannot be written: {why}", path.display())),
            })?;
        }
        let accepted = if self.dry_run {
            None
        } else {
            core.imports()
                .accept(core, &By::user(None), under.import, self.opt_outs)
                .map_err(|why| told_count(&why))?;
            Some(under.wait()?.accepted.ok_or_else(|| Failure::new("nothing was imported"))?)
        };
        let counts = accepted.as_ref().map_or(rehearsal.counts, |accepted| accepted.counts);
        let list = accepted.as_ref().map(|accepted| (accepted.list.as_str(), accepted.past, accepted.step));
        self.tell(&rehearsal, &counts, list, is_new)?;
        Ok(if counts.invalid > 0 { SOME_LEFT_OUT } else { 0 })
    }

    fn map(&self, core: &Core, import: u64, profile: Option<Profile>) -> Result<(), Failure> {
        if let Some(profile) = &profile {
            profiles::open(core, import, profile).map_err(|why| {
                let path = self.map.as_deref().unwrap_or_else(|| "--map".as_ref());
                Failure::new(format!("{}: {why}", path.display()))
            })?;
        }
        let table = core.imports().table(core, import).map_err(Failure::new)?;
        let mut mapping: OpenMapping = table.mapping;
        if let Some(region) = &self.region {
            mapping.region = Some(region.trim().to_uppercase());
        }
        let mapped = core.imports().map(core, import, mapping).map_err(Failure::new)?;
        let Some(fault) = mapped.faults.first() else { return Ok(()) };
        if self.region.is_some() && fault.path == "region" {
            return Err(Failure::new(format!("--region: {}", fault.message)));
        }
        let heads: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let hint = "Save a mapping in the window and give it with --map.";
        Err(Failure::new(format!("{} The columns are: {}. {hint}", fault.message, heads.join(", "))))
    }

    fn tell(
        &self,
        rehearsal: &ImportRehearsal,
        counts: &Counts,
        list: Option<(&str, i64, i64)>,
        is_new: bool,
    ) -> Result<(), Failure> {
        if self.json {
            let reasons: Vec<Value> = rehearsal
                .reasons
                .iter()
                .map(|reason| json!({ "reason": reason.reason, "message": reason.message, "rows": reason.rows }))
                .collect();
            let fields: Vec<Value> =
                rehearsal.fields.iter().map(|field| json!({ "field": field.field, "rows": field.rows })).collect();
            let told = json!({
                "dry_run": self.dry_run,
                "list": list.map(|(uid, _, _)| uid),
                "list_is_new": is_new,
                "import": list.map(|(_, past, _)| past),
                "step": list.map(|(_, _, step)| step),
                "counts": counts,
                "reasons": reasons,
                "changed_fields": fields,
                "opted_out": rehearsal.opted_out,
                "opt_outs_added": rehearsal.opt_outs,
                "new_fields": rehearsal.new_fields.iter().map(|field| &field.label).collect::<Vec<_>>(),
            });
            say_as_it_is(&format!("{}\n", plain_json(&told.to_string())))
        } else {
            say(&self.describe(rehearsal, counts, is_new))
        }
    }

    fn describe(&self, rehearsal: &ImportRehearsal, counts: &Counts, is_new: bool) -> String {
        let mut out = String::new();
        let list = self.list.as_deref().unwrap_or_default().trim();
        let new = if is_new { "new list" } else { "list" };
        match self.dry_run {
            true => out += &format!("{} rows; what they would do to the {new} {list}:\n", counts.rows),
            false => out += &format!("{} rows into the {new} {list}:\n", counts.rows),
        }
        let lines = [
            (counts.new, "new"),
            (counts.changed, "changed"),
            (counts.same, "already there"),
            (counts.duplicate_in_file, "twice in the files"),
            (counts.duplicate_in_list, "with a number that several contacts have"),
            (counts.opted_out, "opted out, and left out"),
            (counts.invalid, "left out: they cannot be taken"),
            (counts.blank, "blank, or names of columns"),
        ];
        for (rows, what) in lines.into_iter().filter(|(rows, _)| *rows > 0) {
            out += &format!("{rows:>10}  {what}\n");
        }
        for reason in &rehearsal.reasons {
            out += &format!("{:>10}  {}\n", reason.rows, reason.message);
        }
        if rehearsal.opt_outs > 0 {
            let tense = if self.dry_run { "to add" } else { "added" };
            out += &format!("{:>10}  opt-outs {tense}\n", rehearsal.opt_outs);
        }
        if rehearsal.opted_out > 0 {
            out += &format!("{:>10}  of people who opted out, and stay so\n", rehearsal.opted_out);
        }
        out
    }
}

/// The count is typed by a person in the window; here it is an argument.
fn told_count(why: &roost_ops::Error) -> Failure {
    match why {
        roost_ops::Error::Invalid { faults } if faults.iter().any(|fault| fault.path == "typed_count") => {
            Failure::new(format!("{why} Here it is given with --opt-outs."))
        }
        _ => Failure::new(why),
    }
}

impl Under<'_> {
    /// Until nothing is under way; how far it is goes to a terminal.
    fn wait(&self) -> Result<ImportState, Failure> {
        loop {
            let state = self.core.imports().state(self.core, self.import, None, NEWS).map_err(Failure::new)?;
            let Some(progress) = &state.progress else {
                if self.is_told {
                    let _ = write!(io::stderr(), "\r\x1b[K");
                }
                return match &state.fault {
                    Some(fault) => Err(Failure::new(fault)),
                    None => Ok(state),
                };
            };
            if self.is_told {
                let work = match progress.work {
                    ImportWork::Read => "Reading",
                    ImportWork::Rehearse => "Comparing",
                    ImportWork::Accept => "Writing",
                };
                let (rows, speed) = (progress.rows, progress.rows_per_second);
                // Without a standard error there is nobody to tell.
                let _ = write!(io::stderr(), "\r{work}: {rows} rows, {speed} a second\x1b[K");
            }
        }
    }
}
