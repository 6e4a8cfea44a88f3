//! The verbs around a server that plays the service: starting one, waiting for one, looking at one.

mod diff;
mod doctor;
mod exchange;
mod exec;
mod ready;
mod serve;
mod state;
mod tail;
mod target;
mod verify;
mod wait;

pub use self::{
    diff::Diff,
    doctor::Doctor,
    exchange::{Exchange, Mode},
    exec::Exec,
    serve::Serve,
    state::{Reset, Restore, Seed, Snapshot},
    tail::Tail,
    verify::Verify,
    wait::Wait,
};
