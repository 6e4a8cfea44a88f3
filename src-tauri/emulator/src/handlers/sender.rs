//! Handlers of the operations on senders.

use roost_model::id::SenderId;
use roost_ops::{Actor, sender};
use roost_wire::{
    QueryString, RestError,
    paging::{Paged, Paging, to_bytes},
    sender::{Sender, parse_query},
};

use crate::{
    door::OperationCall,
    http::{
        error::{rest_error_or, to_rest_error},
        response::OperationResponse,
    },
};

pub(crate) async fn query(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let page = parse_query(&QueryString::parse(call.query))?;
    let body = call.visit.read(move |core| {
        let found = sender::read_page(core, page).map_err(to_rest_error)?;
        let items = found.items.iter().map(Sender::from).collect();
        Ok(to_bytes(&Paged { paging: Paging::for_page(page, found.total_items), items }))
    });
    Ok(OperationResponse::ok(body.await?))
}

pub(crate) async fn get(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let id = SenderId::parse(call.parameter).map_err(|_| RestError::SenderNotFound)?;
    let body = call.visit.read(move |core| {
        let found = sender::get(core, &id).map_err(rest_error_or(|| RestError::SenderNotFound))?;
        Ok(to_bytes(&Sender::from(&found)))
    });
    Ok(OperationResponse::ok(body.await?))
}

pub(crate) async fn delete(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let id = SenderId::parse(call.parameter).map_err(|_| RestError::SenderNotFound)?;
    let missing = rest_error_or(|| RestError::SenderNotFound);
    call.visit.write(move |core| sender::delete(core, &Actor::interface(), &id).map_err(missing)).await?;
    Ok(OperationResponse::NoContent)
}
