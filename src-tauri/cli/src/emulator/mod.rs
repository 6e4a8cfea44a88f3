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

pub(crate) use self::{
    diff::DiffCommand,
    doctor::DoctorCommand,
    exchange::{ImportMode, ServerImport, ServerOption},
    exec::ExecCommand,
    fixtures::FixturesCommand,
    listen::ListenCommand,
    replay::ReplayCommand,
    serve::ServeCommand,
    state::{ResetCommand, RestoreCommand, SeedCommand, SnapshotCommand},
    tail::TailCommand,
    target::{run_async, trust_authority},
    verify::VerifyCommand,
    wait::WaitCommand,
};
