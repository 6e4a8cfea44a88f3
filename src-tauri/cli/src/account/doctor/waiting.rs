//! The checks of what waits in an account: runs, questions, refused records, drafts, imports, jobs.

use std::path::Path;

use roost_model::time::Timestamp;
use roost_ops::account::health::{RunState, WaitingWork};
use serde_json::json;

use super::{AccountCheck, CheckStatus};
use crate::terminal::{count_with_noun, path_argument};

pub(super) fn check_work(db: &Path, work: &WaitingWork) -> Vec<AccountCheck> {
    let db = path_argument(db);
    let mut checks = vec![check_sync(work), check_run(&db, work)];
    checks.push(check_count("questions", "question", work.questions, || {
        format!("roost conflicts --db {db} lists them, and roost answer settles them.")
    }));
    checks.push(check_count("refused", "refused record", work.refused, || {
        format!("roost push --db {db} says why. Fix the values in the window.")
    }));
    checks.push(check_count("drafts", "invalid value", work.drafts, || {
        "Fix them in their cells in the window. They are not sent.".to_owned()
    }));
    checks.push(check_count("imports", "import", work.imports, || "Finish or cancel them in the window.".to_owned()));
    let data = json!({ "jobs": work.jobs, "callbacks": work.callbacks });
    let finding = format!("{}, {}", count_with_noun(work.jobs, "job"), count_with_noun(work.callbacks, "callback"));
    checks.push(match work.jobs + work.callbacks {
        0 => AccountCheck::ok("queue", "empty".to_owned(), data),
        _ => AccountCheck::ok("queue", finding, data)
            .with_advice(CheckStatus::Note, format!("They are carried out while roost serve --db {db} runs.")),
    });
    checks
}

fn check_sync(work: &WaitingWork) -> AccountCheck {
    let time = |at: Option<i64>| at.map(|at| Timestamp::from_unix(at).to_iso());
    let (pulled, pushed) = (time(work.pulled_at), time(work.pushed_at));
    let data = json!({ "pulled_at": pulled, "pushed_at": pushed, "changes": work.changes });
    let time_or_never = |at: Option<String>| at.unwrap_or_else(|| "never".to_owned());
    let unsent = count_with_noun(work.changes, "change");
    AccountCheck::ok(
        "sync",
        format!("pulled {}, pushed {}, {unsent} not sent", time_or_never(pulled), time_or_never(pushed)),
        data,
    )
}

fn check_run(db: &str, work: &WaitingWork) -> AccountCheck {
    let Some((run, state)) = work.open_run else {
        return AccountCheck::ok("run", "none is open".to_owned(), json!({ "open": null }));
    };
    let word = match state {
        RunState::Running => "is running, or was interrupted",
        RunState::Paused => "is paused",
        RunState::Cancelled => "was cancelled, and what it sent is being verified",
        RunState::Done => "is done",
        RunState::InDoubt => "is in doubt",
    };
    let to_do = format!("Continue it with roost push --resume --db {db}, or end it with --cancel.");
    AccountCheck::ok("run", format!("{run} {word}"), json!({ "open": state })).with_advice(CheckStatus::Note, to_do)
}

fn check_count(check: &'static str, noun: &str, count: u64, to_do: impl FnOnce() -> String) -> AccountCheck {
    let data = json!({ "count": count });
    match count {
        0 => AccountCheck::ok(check, "none".to_owned(), data),
        _ => AccountCheck::ok(check, count_with_noun(count, noun), data).with_advice(CheckStatus::Note, to_do()),
    }
}
