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

use std::process::ExitCode;

use report::Measurement;
use roost_tests::numbers;

type BenchOutcome = Result<Vec<Measurement>, Box<dyn std::error::Error>>;
type NamedBench = (&'static str, fn() -> BenchOutcome);

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
        [] => measure_benches(&ALL.map(|(id, _)| id)),
        ["--only", ids] => measure_benches(&ids.split(',').collect::<Vec<_>>()),
        ["--file", path, rows] => long_list(path, rows),
        ["--csv", path, rows] => to_exit_code(import::file::write_file(path.as_ref(), rows)),
        ["--pull", url, mode, account] => to_exit_code(sync::ours::pull_all(url, mode, account.as_ref())),
        ["--import", file, account] => to_exit_code(import::ours::import_file(file.as_ref(), account.as_ref())),
        _ => {
            eprintln!(
                "usage: roost-bench [--only {} | --file PATH ROWS | --csv PATH ROWS]",
                ALL.map(|(id, _)| id).join(",")
            );
            ExitCode::from(2)
        }
    }
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

fn measure_benches(ids: &[&str]) -> ExitCode {
    let mut chosen: Vec<&NamedBench> = Vec::new();
    for wanted in ids {
        let Some(bench) = ALL.iter().find(|(id, _)| wanted.trim().eq_ignore_ascii_case(id)) else {
            eprintln!("no bench is called {wanted}; there are {}", ALL.map(|(id, _)| id).join(", "));
            return ExitCode::from(2);
        };
        chosen.push(bench);
    }
    let mut has_failed = false;
    let mut rows = Vec::new();
    for (id, run) in chosen {
        eprintln!("measuring {id} …");
        match run() {
            Ok(measured) => rows.extend(measured),
            // The other benchmarks are measured all the same.
            Err(error) => {
                eprintln!("{id} could not be measured: {error}");
                has_failed = true;
            }
        }
    }
    report::print_rows(&rows);
    match report::write_report(&rows) {
        Ok(path) => {
            println!("written to {}", path.display());
            if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            eprintln!("the report could not be written: {error}");
            ExitCode::FAILURE
        }
    }
}
