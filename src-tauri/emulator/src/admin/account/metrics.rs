//! Metrics of the server in the text format of Prometheus. Events are counted by atomics when they happen; states are
//! read when the metrics are requested. Labels are words of this program, so that their number is bounded.

use std::fmt::Display;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode},
};
use roost_model::page::PageRequest;
use roost_ops::job;

use super::super::{error::AdminError, route::HostRequest};
use crate::{
    http::{
        KeptSize, RequestTally,
        response::{HttpResponse, typed_response},
    },
    work::read_work_status,
    world::Host,
};

const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The totals over all worlds.
#[derive(Default)]
struct WorldTotals {
    worlds: u64,
    lines: u64,
    bytes: u64,
    dropped: u64,
    /// The entries and the bytes of each cache.
    caches: [(&'static str, KeptSize); 2],
    jobs: [(&'static str, u64); 3],
    callbacks: [(&'static str, u64); 4],
}

impl WorldTotals {
    fn collect(host: &Host) -> Result<Self, AdminError> {
        let (mut totals, mut jobs, mut callbacks) = (Self::default(), [0; 3], [0; 4]);
        totals.caches = ["responses", "contacts"].map(|name| (name, KeptSize::default()));
        for world in host.worlds.list_worlds() {
            let core = world.core.fenced();
            let first = PageRequest { number: 1, size: 1 };
            let counted = job::read_page(&core, first)
                .and_then(|jobs| Ok((jobs.total_items, read_work_status(&world, &core, None)?)));
            let (all, status) = match counted {
                Ok(counted) => counted,
                // The world is being reset; its content is counted next time.
                Err(error) if error.is_superseded() => continue,
                Err(error) => return Err(error.into()),
            };
            let journal = world.journal.status();
            totals.worlds += 1;
            totals.lines += journal.lines as u64;
            totals.bytes += journal.bytes as u64;
            totals.dropped += journal.dropped;
            for ((_, all), cache_size) in
                totals.caches.iter_mut().zip([world.cache.size(), world.contact_records.size()])
            {
                (all.entries, all.bytes) = (all.entries + cache_size.entries, all.bytes + cache_size.bytes);
            }
            let done = all.saturating_sub(status.jobs + status.jobs_held);
            add_counts(&mut jobs, [status.jobs, status.jobs_held, done]);
            let counts = status.callbacks;
            add_counts(&mut callbacks, [counts.waiting, counts.held, counts.delivered, counts.given_up]);
        }
        totals.jobs = with_names(["waiting", "held", "done"], jobs);
        totals.callbacks = with_names(["waiting", "held", "delivered", "given_up"], callbacks);
        Ok(totals)
    }
}

fn add_counts<const N: usize>(to: &mut [u64; N], more: [u64; N]) {
    to.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

fn with_names<const N: usize>(names: [&'static str; N], counts: [u64; N]) -> [(&'static str, u64); N] {
    std::array::from_fn(|at| (names[at], counts[at]))
}

/// Answers with the metrics of the server.
pub(crate) async fn show_metrics(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let HostRequest { host, .. } = host_request;
    let written = tokio::task::spawn_blocking(move || {
        let totals = WorldTotals::collect(&host)?;
        let mut page = MetricsText::default();
        page.write_tally(&host.resources.tally);
        page.write_totals(&totals);
        page.write_bounds(&host, totals.worlds.saturating_sub(1));
        page.write_process(&host);
        Ok::<_, AdminError>(page.0)
    });
    let text = written.await.map_err(|_| AdminError::internal())??;
    Ok(typed_response(StatusCode::OK, Body::from(text), HeaderValue::from_static(MEDIA_TYPE)))
}

/// The text that is being written.
#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    /// Writes the description of the samples that follow. Neither text contains a backslash or a line end.
    fn write_family(&mut self, name: &str, kind: &str, help: &str) {
        self.0.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// Writes one sample. Values of labels are words, which need no escaping.
    fn write_sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<_> = labels.iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        self.0.push_str(&format!("{name}{labels} {value}\n"));
    }

    fn write_single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.write_family(name, kind, help);
        self.write_sample(name, &[], value);
    }

    fn write_by_label(&mut self, name: &str, label: &str, counts: impl IntoIterator<Item = (&'static str, u64)>) {
        for (value, count) in counts {
            self.write_sample(name, &[(label, value)], count);
        }
    }

    fn write_tally(&mut self, tally: &RequestTally) {
        let name = "roost_requests_total";
        self.write_family(
            name,
            "counter",
            "Requests since the start, by operation and status. Status none: the connection ended without a response.",
        );
        for (operation, status, count) in tally.request_counts() {
            self.write_sample(name, &[("operation", operation), ("status", status)], count);
        }
        let name = "roost_request_duration_seconds";
        self.write_family(name, "histogram", "Time from receiving the head of a request to having its response ready.");
        let (bucket, sum, count) = (format!("{name}_bucket"), format!("{name}_sum"), format!("{name}_count"));
        for (operation, times) in tally.durations() {
            let operation_label = ("operation", operation);
            for (bound, up_to) in times.up_to {
                self.write_sample(&bucket, &[operation_label, ("le", &bound.to_string())], up_to);
            }
            self.write_sample(&bucket, &[operation_label, ("le", "+Inf")], times.count);
            self.write_sample(&sum, &[operation_label], times.seconds);
            self.write_sample(&count, &[operation_label], times.count);
        }
        self.write_family("roost_faults_total", "counter", "Requests affected by a fault rule or profile.");
        self.write_by_label("roost_faults_total", "operation", tally.fault_counts());
        let help = "Callback attempts by response. none: no response came. dropped: not sent on purpose.";
        self.write_family("roost_callback_tries_total", "counter", help);
        self.write_by_label("roost_callback_tries_total", "status", tally.attempt_counts());
    }

    fn write_totals(&mut self, totals: &WorldTotals) {
        self.write_single("roost_worlds", "gauge", "Worlds.", totals.worlds);
        self.write_single("roost_journal_lines", "gauge", "Lines in the journals.", totals.lines);
        self.write_single("roost_journal_bytes", "gauge", "Memory used by these lines, approximately.", totals.bytes);
        let help = "Lines replaced by newer ones since their journal was last cleared.";
        self.write_single("roost_journal_dropped_lines", "gauge", help, totals.dropped);
        let (entries, bytes) = ("roost_cache_entries", "roost_cache_bytes");
        self.write_family(entries, "gauge", "Entries in the caches of all worlds.");
        self.write_by_label(
            entries,
            "cache",
            totals.caches.map(|(cache, cache_size)| (cache, cache_size.entries as u64)),
        );
        self.write_family(bytes, "gauge", "Memory used by these entries, approximately.");
        self.write_by_label(bytes, "cache", totals.caches.map(|(cache, cache_size)| (cache, cache_size.bytes as u64)));
        self.write_family("roost_jobs", "gauge", "Contact jobs by state. held: waiting for an action.");
        self.write_by_label("roost_jobs", "state", totals.jobs);
        self.write_family("roost_callbacks", "gauge", "Callbacks by state.");
        self.write_by_label("roost_callbacks", "state", totals.callbacks);
    }

    fn write_bounds(&mut self, host: &Host, worlds: u64) {
        let usage = host.resources.capacity.usage(worlds);
        self.write_family("roost_bound", "gauge", "The upper limit of each bound, for all callers together.");
        self.write_by_label("roost_bound", "name", usage.map(|(name, bound, _)| (name, bound)));
        self.write_family("roost_bound_in_use", "gauge", "How much of each bound is in use.");
        self.write_by_label("roost_bound_in_use", "name", usage.map(|(name, _, in_use)| (name, in_use)));
    }

    fn write_process(&mut self, host: &Host) {
        self.write_family("roost_build_info", "gauge", "Always 1. The label holds the version.");
        self.write_sample("roost_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        self.write_single(
            "process_start_time_seconds",
            "gauge",
            "When the server started, in seconds since 1970.",
            start_time(host),
        );
        if let Some(bytes) = resident_memory() {
            self.write_single("process_resident_memory_bytes", "gauge", "Memory that the process uses.", bytes);
        }
    }
}

/// Returns the start time in whole seconds of the real clock. It is computed only once, because a change would look
/// like a new start.
fn start_time(host: &Host) -> i64 {
    let default = host.worlds.default_world();
    let age = i64::try_from(default.lifetime.age().as_secs()).unwrap_or_default();
    *host.resources.tally.started.get_or_init(|| default.core.ctx().real_nanos().0.unix() - age)
}

/// Returns the resident memory, where the system provides it as a file.
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1_024)
}
