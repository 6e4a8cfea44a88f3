//! The commands around a server that plays the service: they start one, wait for one, or examine one.

mod diff;
mod doctor;
mod exchange;
mod exec;
mod fixtures;
mod listen;
mod ready;
mod replay;
mod serve;
mod state;
mod tail;
mod target;
mod verify;
mod wait;

pub use self::{
    diff::Diff,
    doctor::Doctor,
    exchange::{Exchange, Mode, ServerImport},
    exec::Exec,
    fixtures::Fixtures,
    listen::Listen,
    replay::Replay,
    serve::Serve,
    state::{Reset, Restore, Seed, Snapshot},
    tail::Tail,
    target::{ask, trusting},
    verify::Verify,
    wait::Wait,
};
