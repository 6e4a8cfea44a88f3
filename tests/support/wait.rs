//! Waiting for a condition, with a bound.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

/// Far above what any condition takes on a busy machine.
const BOUND: Duration = Duration::from_secs(30);

/// What `look` finds, as soon as it finds something.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < BOUND, "waited {} s in vain until {what}", BOUND.as_secs());
        sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// A duration as the admin interface writes it, in seconds; none where it is null.
pub fn seconds(duration: &serde_json::Value) -> Option<f64> {
    let text = duration.as_str()?;
    Some(text.parse::<roost_emulator::HumanDuration>().expect("a duration").0.as_secs_f64())
}
