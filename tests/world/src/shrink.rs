//! Shrinks a failing script.

use crate::script::{Script, ScriptStep};

/// The maximum number of attempts of one shrinking.
pub const SHRINK_ATTEMPTS: usize = 600;

/// Removes steps and lowers numbers while the script still fails. `fails` must return whether a script fails. The
/// number of attempts is bounded.
pub fn shrink_script(script: &Script, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    let mut best = script.clone();
    let mut attempts = 0;
    remove_chunks(&mut best, &mut attempts, fails);
    simplify_steps(&mut best, &mut attempts, fails);
    remove_chunks(&mut best, &mut attempts, fails);
    best
}

fn try_candidate(
    candidate: Script,
    best: &mut Script,
    attempts: &mut usize,
    fails: &mut dyn FnMut(&Script) -> bool,
) -> bool {
    if *attempts >= SHRINK_ATTEMPTS {
        return false;
    }
    *attempts += 1;
    let failed = fails(&candidate);
    if failed {
        *best = candidate;
    }
    failed
}

fn remove_chunks(best: &mut Script, attempts: &mut usize, fails: &mut dyn FnMut(&Script) -> bool) {
    let mut size = best.steps.len().div_ceil(2).max(1);
    loop {
        let mut removed = false;
        let mut start = 0;
        while start < best.steps.len() && *attempts < SHRINK_ATTEMPTS {
            let end = (start + size).min(best.steps.len());
            let mut candidate = best.clone();
            candidate.steps.drain(start..end);
            if try_candidate(candidate, best, attempts, fails) {
                removed = true;
            } else {
                start = end;
            }
        }
        if *attempts >= SHRINK_ATTEMPTS || (size == 1 && !removed) {
            return;
        }
        if !removed {
            size = size.div_ceil(2);
        }
    }
}

/// Returns simpler forms of a step, simplest first.
fn simpler_steps(step: ScriptStep) -> Vec<ScriptStep> {
    let mut simpler = Vec::new();
    match step {
        ScriptStep::Act(mut act) => {
            (act.row, act.other) = (0, 0);
            simpler.push(ScriptStep::Act(act));
        }
        ScriptStep::ActAt(_, act) => simpler.push(ScriptStep::Act(act)),
        ScriptStep::Writer(mut act) => {
            (act.row, act.other) = (0, 0);
            simpler.push(ScriptStep::Writer(act));
        }
        ScriptStep::WriterBefore(_, act) | ScriptStep::WriterAfter(_, act) => simpler.push(ScriptStep::Writer(act)),
        ScriptStep::FullPullRun => simpler.push(ScriptStep::PullRun),
        ScriptStep::PushOldPlan => simpler.push(ScriptStep::PushRun),
        ScriptStep::Wait(ms) if ms > 1 => simpler.push(ScriptStep::Wait(ms / 2)),
        _ => {}
    }
    simpler.retain(|other| *other != step);
    simpler
}

fn simplify_steps(best: &mut Script, attempts: &mut usize, fails: &mut dyn FnMut(&Script) -> bool) {
    for index in 0..best.steps.len() {
        let Some(step) = best.steps.get(index).copied() else {
            return;
        };
        for simpler in simpler_steps(step) {
            let mut candidate = best.clone();
            if let Some(slot) = candidate.steps.get_mut(index) {
                *slot = simpler;
            }
            if try_candidate(candidate, best, attempts, fails) {
                break;
            }
        }
    }
}
