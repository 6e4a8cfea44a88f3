//! What `make bench` runs: our figure, the limit's or the peer's, and their ratio, in one run.

#![expect(clippy::print_stdout, reason = "the table is what a bench is for")]

mod bare;
mod http;
mod jobs;
mod numbers;
mod reads;
mod report;
mod served;
mod start;

use std::process::ExitCode;

use report::Row;

type Outcome = Result<Vec<Row>, Box<dyn std::error::Error>>;
type Bench = (&'static str, fn() -> Outcome);

const ALL: [Bench; 3] = [("P2", jobs::run), ("P3", reads::run), ("P4", start::run)];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--bare", bodies] => bare::serve(bodies),
        [] => measure(None),
        ["--only", id] => measure(Some(id)),
        _ => {
            eprintln!("usage: roost-bench [--only {}]", ALL.map(|(id, _)| id).join("|"));
            ExitCode::from(2)
        }
    }
}

fn measure(only: Option<&str>) -> ExitCode {
    let chosen: Vec<&Bench> =
        ALL.iter().filter(|(id, _)| only.is_none_or(|only| only.eq_ignore_ascii_case(id))).collect();
    if chosen.is_empty() {
        eprintln!("no bench of that name; there are {}", ALL.map(|(id, _)| id).join(", "));
        return ExitCode::from(2);
    }
    let mut rows = Vec::new();
    for (id, run) in chosen {
        eprintln!("measuring {id} …");
        match run() {
            Ok(measured) => rows.extend(measured),
            Err(error) => {
                eprintln!("{id} could not be measured: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    report::print(&rows);
    match report::write(&rows) {
        Ok(path) => {
            println!("written to {}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("the report could not be written: {error}");
            ExitCode::FAILURE
        }
    }
}
