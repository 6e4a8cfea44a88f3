//! The program behind `make bench`: our figure, that of the limit or the peer, and their ratio, in one run.

#![expect(clippy::print_stdout, reason = "the output of a benchmark is its table")]

mod ended;
mod grid;
mod import;
mod memory;
mod processor;
mod report;
mod served;
mod server;
mod sync;
mod ui;
mod window;

use std::{num::NonZeroUsize, process::ExitCode};

use report::{
    Measurement, history,
    rounds::{measure_rounds, write_rows},
};
use roost_tests::numbers;

type BenchOutcome = Result<Vec<Measurement>, Box<dyn std::error::Error>>;
type NamedBench = (&'static str, fn() -> BenchOutcome);

/// How often each benchmark is measured unless `--rounds` says otherwise.
const ROUNDS: usize = 3;
const ALL: [NamedBench; 14] = [
    ("P1", import::run_bench),
    ("P2", server::jobs::run),
    ("P3", server::reads::run),
    ("P4", server::start::run),
    ("P5", grid::views::run),
    ("P6", grid::scroll::run),
    ("P7", sync::plan::run),
    ("P8", sync::run),
    ("P9", grid::acts::run),
    ("P10", server::worlds::run),
    ("P11", window::run),
    ("P12", import_and_grid_sizes),
    ("UI", ui::run),
    ("PEERS", server::peers::run),
];

/// The import comes first, because its figures take less time.
fn import_and_grid_sizes() -> BenchOutcome {
    let mut rows = import::measure_sizes()?;
    rows.extend(grid::sizes::run()?);
    Ok(rows)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--bare", bodies] => server::bare::serve_folder(bodies),
        ["--file", path, rows] => long_list(path, rows),
        ["--csv", path, rows] => to_exit_code(import::file::write_file(path.as_ref(), rows)),
        ["--pull", url, mode, account] => to_exit_code(sync::ours::pull_all(url, mode, account.as_ref())),
        ["--import", file, account] => to_exit_code(import::ours::import_file(file.as_ref(), account.as_ref())),
        ["--workbook", file] => to_exit_code(import::xlsx::read_workbook(file.as_ref())),
        ["--rows", id, file] => {
            to_exit_code(find_bench(id).and_then(|(_, run)| write_rows(*run, file.as_ref())).map(|()| ""))
        }
        options => match read_options(options) {
            Ok(options) => measure_benches(&options),
            Err(why) => {
                eprintln!("{why}\nusage: roost-bench [--only {}] [--rounds N] [--keep NAME]", known_benches());
                ExitCode::from(2)
            }
        },
    }
}

fn known_benches() -> String {
    ALL.map(|(id, _)| id).join(",")
}

fn find_bench(id: &str) -> Result<&'static NamedBench, Box<dyn std::error::Error>> {
    let found = ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(id.trim()));
    found.ok_or_else(|| format!("no benchmark is called {id}; expected one of {}", known_benches()).into())
}

/// What to measure, how often, and the name under which the figures are kept.
struct BenchOptions<'a> {
    benches: Vec<&'static str>,
    rounds: usize,
    keep: Option<&'a str>,
}

fn read_options<'a>(given: &[&'a str]) -> Result<BenchOptions<'a>, Box<dyn std::error::Error>> {
    let mut options = BenchOptions { benches: ALL.map(|(id, _)| id).to_vec(), rounds: ROUNDS, keep: None };
    for pair in given.chunks(2) {
        match pair {
            ["--only", ids] => {
                options.benches = ids
                    .split(',')
                    .map(|id| Ok(find_bench(id)?.0))
                    .collect::<Result<_, Box<dyn std::error::Error>>>()?;
            }
            ["--rounds", rounds] => {
                let rounds: NonZeroUsize = rounds.parse().map_err(|_| format!("invalid number of rounds: {rounds}"))?;
                options.rounds = rounds.get();
            }
            ["--keep", name] => options.keep = Some(name),
            unknown => return Err(format!("unknown option: {}", unknown.join(" ")).into()),
        }
    }
    Ok(options)
}

/// Generates an account file with one long list for measurements elsewhere.
fn long_list(path: &str, rows: &str) -> ExitCode {
    to_exit_code(rows.parse::<u64>().map_err(Into::into).and_then(|rows| grid::file::make_file(path.as_ref(), rows)))
}

fn to_exit_code<T: std::fmt::Display>(done: Result<T, Box<dyn std::error::Error>>) -> ExitCode {
    match done {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_benches(options: &BenchOptions) -> ExitCode {
    let mut has_failed = false;
    let mut rows = Vec::new();
    for id in &options.benches {
        match measure_rounds(id, options.rounds) {
            Ok(measured) => rows.extend(measured),
            // The other benchmarks are measured all the same.
            Err(error) => {
                eprintln!("{id} could not be measured: {error}");
                has_failed = true;
            }
        }
    }
    if let Err(error) = report(&rows, options.keep) {
        eprintln!("the report could not be written: {error}");
        has_failed = true;
    }
    if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn report(rows: &[Measurement], keep: Option<&str>) -> Result<(), Box<dyn std::error::Error>> {
    report::report_rows(rows, &history::read_history()?)?;
    keep.map_or(Ok(()), |name| history::keep_figures(name, rows))
}
