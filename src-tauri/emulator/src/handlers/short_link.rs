//! Handlers of the operations on short links.

use roost_ops::{Actor, short_link};
use roost_wire::{
    RestError,
    paging::{Paged, Paging, to_bytes},
    short_link::{ShortLink, not_found, parse_create, parse_id, parse_search},
};

use crate::{
    door::OperationCall,
    http::{
        error::{rest_error_or, to_rest_error},
        response::OperationResponse,
    },
};

pub(crate) async fn create(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let parts = parse_create(&call.body)?;
    let link = call
        .visit
        .write(move |core| short_link::create(core, &Actor::interface(), parts).map_err(to_rest_error))
        .await?;
    Ok(OperationResponse::ok(to_bytes(&ShortLink::from_link(&link, &call.visit.short_base()))))
}

pub(crate) async fn get(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let id = parse_id("get_short_link_by_id.id", call.parameter)?;
    let base = call.visit.short_base();
    let body = call.visit.read(move |core| {
        let link = short_link::get(core, &id).map_err(rest_error_or(|| not_found(&id)))?;
        Ok(to_bytes(&ShortLink::from_link(&link, &base)))
    });
    Ok(OperationResponse::ok(body.await?))
}

pub(crate) async fn search(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let query = parse_search(&call.body)?;
    let base = call.visit.short_base();
    // Words and tags are compared link by link, which may take long, so the search must not run as a short read.
    let body = call.visit.run_blocking(move |core| {
        let found = short_link::search(core, &query).map_err(to_rest_error)?;
        let items = found.items.iter().map(|link| ShortLink::from_link(link, &base)).collect();
        Ok(to_bytes(&Paged { paging: Paging::for_page(query.page, found.total_items), items }))
    });
    Ok(OperationResponse::ok(body.await?))
}

pub(crate) async fn delete(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let id = parse_id("delete_short_link_by_id.id", call.parameter)?;
    call.visit
        .run_blocking(move |core| {
            short_link::delete(core, &Actor::interface(), &id).map_err(rest_error_or(|| not_found(&id)))
        })
        .await?;
    Ok(OperationResponse::NoContent)
}
