//! The local server.

use crate::commands::server;

commands! {
    /// Whether the local server runs, and where.
    server_status(server::ServerNothing) -> server::ServerStatus = server::status;
    /// Starts the REST interface on the open account or on a scratch world.
    server_start(server::ServerStart) -> server::ServerStatus = server::start;
    /// Stops it once the requests under way have ended.
    server_stop(server::ServerNothing) -> server::ServerStatus = server::stop;
    /// The settings of the local server: in force while it runs, else for the next start.
    server_settings(server::ServerNothing) -> Vec<server::settings::ServerSetting> = server::settings::all;
    /// Changes one of them.
    server_set(server::settings::ServerSet) -> Vec<server::settings::ServerSetting> = server::settings::set;
    /// Begins or ends the recording of requests.
    server_record(server::ServerRecord) -> server::ServerStatus = server::record;
    /// Recorded requests and callbacks, newest first.
    server_requests(server::journal::ServerRequests) -> server::journal::ServerRequestPage = server::journal::page;
    /// A recorded request with everything known of it.
    server_request(server::journal::ServerRequest) -> server::journal::RequestWhole = server::journal::one;
    /// Does what the operator's side of the local server can, by its own names.
    server_operate(server::operate::ServerOperate) -> server::operate::Operated = server::operate::operate;
    /// Forgets the recorded requests.
    server_clear(server::ServerNothing) -> server::ServerStatus = server::clear;
}
