//! The commands on the local server.

use crate::{
    commands::{Nothing, server},
    local_server::ServerStatus,
};

commands! {
    /// Returns whether the local server runs, and where.
    read server_status(Nothing) -> ServerStatus = server::status;
    /// Starts the REST interface on the open account or on a scratch world.
    read server_start(server::ServerStart) -> ServerStatus = server::start;
    /// Stops the server after the running requests have ended.
    read server_stop(Nothing) -> ServerStatus = server::stop;
    /// Returns the settings of the local server: those in force while it runs, otherwise those of the next start.
    read server_settings(Nothing) -> Vec<server::settings::ServerSetting> = server::settings::all;
    /// Changes a setting.
    read server_set(server::settings::ServerSet) -> Vec<server::settings::ServerSetting> = server::settings::set;
    /// Starts or stops the recording of requests.
    read server_record(server::ServerRecord) -> ServerStatus = server::record;
    /// Returns the recorded requests and callbacks, newest first.
    read server_requests(server::journal::ServerRequests) -> server::journal::ServerRequestPage = server::journal::page;
    /// Returns a recorded request with its messages and effects.
    read server_request(server::journal::ServerRequest) -> server::journal::FullRequest = server::journal::full_request;
    /// Calls a route of the local server's operator interface.
    read server_operate(server::operate::ServerOperate) -> server::operate::OperateResponse = server::operate::operate;
    /// Deletes the recorded requests.
    read server_clear(Nothing) -> ServerStatus = server::clear;
}
