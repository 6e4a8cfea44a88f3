//! `UI`: every command of the window on a large account, through the window's own entry point, with JSON text in and
//! out.

mod acts;
mod export;
mod fill;
mod grid;
mod import;
mod long;
mod queries;
mod samples;
mod sync;
mod world;

use std::{
    collections::BTreeSet,
    error::Error,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use roost_app::{ACCOUNT_FILE, command_names};
use serde_json::{Value, json};

use self::{samples::CommandSample, world::BenchWorld};
use crate::{BenchOutcome, report::Measurement, server::http};

const LIMIT_MS: f64 = 50.0;
const RUNS: usize = 5;
/// The number of slowest commands that are listed by name.
const SHOWN: usize = 15;

struct MeasuredSample {
    what: String,
    worst: f64,
}

/// A long act, and the response times of the window meanwhile.
struct MeasuredAct {
    what: String,
    why: &'static str,
    took: f64,
    rows: u64,
    slowest: f64,
    slowest_of: &'static str,
    asked: usize,
}

fn collect_samples() -> Result<Vec<CommandSample>, Box<dyn Error>> {
    let all: Vec<CommandSample> = [
        queries::all_samples(),
        acts::all_samples(),
        grid::all_samples(),
        export::all_samples(),
        import::all_samples(),
        long::all_samples(),
        sync::all_samples(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let known: BTreeSet<&str> = command_names().collect();
    let commands: BTreeSet<&str> = all.iter().map(|sample| sample.command).collect();
    let (lacking, unknown): (Vec<_>, Vec<_>) =
        (known.difference(&commands).collect(), commands.difference(&known).collect());
    if lacking.is_empty() && unknown.is_empty() {
        return Ok(all);
    }
    Err(format!(
        "every command needs a sample request in tests/bench/ui; without one: {lacking:?}; no commands: {unknown:?}"
    )
    .into())
}

pub(crate) fn run() -> BenchOutcome {
    let samples = collect_samples()?;
    let folder = tempfile::tempdir()?;
    let begin = Instant::now();
    let numbers = fill::account_numbers();
    fill::make_account(&folder.path().join(ACCOUNT_FILE), &numbers)?;
    eprintln!("the account is filled after {:.1} s", begin.elapsed().as_secs_f64());
    let (of_sync, own): (Vec<CommandSample>, Vec<CommandSample>) =
        samples.into_iter().partition(|s| sync::is_one(s.command));
    let (of_browser, own): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|sample| ["export_part", "export_discard"].contains(&sample.command));
    // The browser comes first, because the last of the window's own commands closes the account.
    let browser = BenchWorld::open_in_browser(folder.path(), numbers.clone());
    let (mut measured, mut asides) = measured_in(&browser, of_browser)?;
    browser.app.close();
    let world = BenchWorld::open(folder.path(), numbers);
    create_usual_state(&world)?;
    let (more, beside) = measured_in(&world, own)?;
    world.app.close();
    measured.extend(more);
    asides.extend(beside);
    let connected = sync::synced_world(&folder.path().join("connected"))?;
    let (more, beside) = measured_in(&connected, of_sync)?;
    connected.app.close();
    measured.extend(more);
    asides.extend(beside);
    measured.sort_by(|a, b| b.worst.total_cmp(&a.worst));
    print_acts(&asides);
    Ok(report_rows(&measured, &asides))
}

fn measured_in(
    world: &BenchWorld,
    samples: Vec<CommandSample>,
) -> Result<(Vec<MeasuredSample>, Vec<MeasuredAct>), Box<dyn Error>> {
    let (aside, prompt): (Vec<CommandSample>, Vec<CommandSample>) =
        samples.into_iter().partition(|s| s.why_long.is_some());
    let measured = prompt.iter().map(|sample| measure_sample(world, sample)).collect::<Result<_, _>>()?;
    Ok((measured, aside.iter().map(|sample| measure_aside(world, sample)).collect::<Result<_, _>>()?))
}

/// Creates the state of an account after some use: pins, a contact with a history, a full journal.
fn create_usual_state(world: &BenchWorld) -> Result<(), Box<dyn Error>> {
    for n in 0..10 {
        world.run_command("list_pin", json!({ "uid": world.list_uid(n), "on": true }))?;
    }
    let uid = world.newest_contacts(&world.list_uid(99), 1)?.remove(0);
    for n in 0..60 {
        let fields = json!({ "firstname": format!("Name {n}"), "city": format!("City {n}") });
        world.run_command("contact_update", json!({ "uid": uid, "fields": fields, "region": null }))?;
    }
    world.run_command("server_set", json!({ "name": "limits", "value": "off" }))?;
    let start = json!({ "port": 0, "world": "account", "is_copy": false, "is_recording": true });
    let status = world.run_command("server_start", start)?;
    let url = status["running"]["url"].as_str().ok_or("the server does not run")?;
    let address = url.trim_start_matches("http://");
    let path = "/contacts/v1/lists/?page_size=25";
    let load = http::measure_load(address, path, http::CachePolicy::Anew, 4, Duration::from_millis(1_500));
    tokio::runtime::Runtime::new()?.block_on(load).map_err(|why| why.to_string())?;
    Ok(())
}

/// Measures several times, each after a change, so that no response comes from a cache. Undo needs the last change, and
/// an import is accepted only as it was rehearsed.
fn measure_sample(world: &BenchWorld, sample: &CommandSample) -> Result<MeasuredSample, Box<dyn Error>> {
    let mut worst = 0.0_f64;
    for run in 0..RUNS {
        let request = (sample.ask)(world, run)?.to_string();
        if !sample.command.starts_with("history_") && sample.command != "import_accept" {
            world.outdate_caches()?;
        }
        worst = worst.max(world.run_timed(sample.command, &request)?.0);
    }
    Ok(MeasuredSample { what: sample_name(sample), worst })
}

fn sample_name(sample: &CommandSample) -> String {
    if sample.what.is_empty() { sample.command.to_owned() } else { format!("{}: {}", sample.command, sample.what) }
}

/// Returns the commands that a window sends while a long act runs on another thread.
fn meanwhile_commands(world: &BenchWorld) -> [(&'static str, String); 8] {
    let page =
        json!({ "page_number": 1, "page_size": 100, "sort_by": "updated_at", "sort_order": "DESC", "name": null });
    let contacts = world::contact_page(&world.list_uid(1), 1, 100, Value::Null, Value::Null);
    let states = json!({ "numbers": world.some_numbers(0, 2, 100) });
    let activity = json!({ "source": null, "noun": null, "text": null, "uid": null, "from": null, "to": null, "page_number": 1, "page_size": 50 });
    [
        ("task_list", json!({})),
        ("contact_page", contacts),
        ("overview_get", json!({})),
        ("list_page", page),
        ("opt_out_states", states),
        ("history_standing", json!({})),
        ("activity_page", activity),
        ("account_list", json!({})),
    ]
    .map(|(command, request)| (command, request.to_string()))
}

fn measure_aside(world: &BenchWorld, sample: &CommandSample) -> Result<MeasuredAct, Box<dyn Error>> {
    let request = (sample.ask)(world, 0)?;
    let queries = meanwhile_commands(world);
    let has_ended = AtomicBool::new(false);
    let (app, command, ended) = (world.app.clone(), sample.command, &has_ended);
    let mut measured = MeasuredAct {
        what: sample_name(sample),
        why: sample.why_long.unwrap_or_default(),
        took: 0.0,
        rows: 0,
        slowest: 0.0,
        slowest_of: "",
        asked: 0,
    };
    std::thread::scope(|scope| {
        let act = scope.spawn(move || {
            let begin = Instant::now();
            let answer = app.dispatch(command, request, None).map(drop);
            ended.store(true, Ordering::Release);
            answer.map(|()| begin.elapsed().as_secs_f64() * 1_000.0)
        });
        while !has_ended.load(Ordering::Acquire) {
            let (command, request) = &queries[measured.asked % queries.len()];
            // While another account replaces this one, no account is open. That is a response, too.
            let (took, answer) = world.run_timed(command, request).unwrap_or_default();
            if took > measured.slowest {
                (measured.slowest, measured.slowest_of) = (took, command);
            }
            measured.asked += 1;
            measured.rows = measured.rows.max(read_progress(sample.command, &answer));
            std::thread::sleep(Duration::from_millis(2));
        }
        let answer = act.join().map_err(|_| format!("{} panicked", measured.what))?;
        measured.took = answer.map_err(|why| format!("{}: {why:?}", measured.what))?;
        Ok::<_, String>(())
    })?;
    Ok(measured)
}

/// Returns the rows that the task list reports for a command.
fn read_progress(command: &str, answer: &str) -> u64 {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let tasks = answer["tasks"].as_array().into_iter().flatten();
    tasks.filter(|task| task["name"] == command).filter_map(|task| task["rows"].as_u64()).max().unwrap_or_default()
}

fn print_acts(asides: &[MeasuredAct]) {
    println!("acts that run as tasks, one run each; what the window asks meanwhile must not wait");
    println!("{:<48} {:>9} {:>9} {:>8} {:>11}  why", "act", "took", "rows seen", "queries", "slowest");
    for a in asides {
        let slowest = format!("{:.1} ms", a.slowest);
        println!(
            "{:<48} {:>6.0} ms {:>9} {:>8} {:>11}  {} ({})",
            a.what, a.took, a.rows, a.asked, slowest, a.why, a.slowest_of
        );
    }
    println!();
}

fn report_rows(measured: &[MeasuredSample], asides: &[MeasuredAct]) -> Vec<Measurement> {
    let within = measured.iter().filter(|m| m.worst <= LIMIT_MS).count();
    let mut rows = vec![Measurement::at_least(
        "UI",
        "requests answered within 50 ms, of all",
        "",
        within as f64,
        measured.len() as f64,
        1.0,
    )];
    // Every miss is listed, even if there are more than the usual number.
    let slow = measured.iter().take(SHOWN.max(measured.len() - within));
    rows.extend(slow.map(|m| Measurement::at_most("UI", &m.what, "ms", m.worst, LIMIT_MS, 1.0)));
    if let Some(slowest) = asides.iter().max_by(|a, b| a.slowest.total_cmp(&b.slowest)) {
        rows.push(Measurement::at_most(
            "UI",
            format!("slowest query beside {}", slowest.what),
            "ms",
            slowest.slowest,
            LIMIT_MS,
            1.0,
        ));
    }
    rows
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_command_has_a_sample_request() {
        assert_eq!(super::collect_samples().map(drop).map_err(|why| why.to_string()), Ok(()));
    }
}
