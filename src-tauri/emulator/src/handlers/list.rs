//! Handlers of the operations on lists.

use roost_ops::{Actor, list};
use roost_wire::{
    QueryString, RestError,
    list::{CreatedList, List, NOT_FOUND, parse_create, parse_delete, parse_query},
    paging::{Paged, Paging, to_bytes},
};

use super::unknown_on_delete_refusal;
use crate::door::{
    OperationCall,
    error::{rest_error_or, to_rest_error},
    response::OperationResponse,
};

pub async fn query(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let wanted = parse_query(&QueryString::parse(call.query))?;
    let query = list::ListQuery { name: wanted.name, sort: wanted.sort, order: wanted.order, page: wanted.page };
    let body = call.visit.read(move |core| {
        let found = list::read_page(core, &query).map_err(to_rest_error)?;
        let items = found.items.iter().map(List::from).collect();
        Ok(to_bytes(&Paged { paging: Paging::for_page(query.page, found.total_items), items }))
    });
    Ok(OperationResponse::ok(body.await?))
}

pub async fn create(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let name = parse_create(&call.body)?;
    let unique = call.visit.rules.settings.unique_names;
    let made = call
        .visit
        .run_blocking(move |core| list::create(core, &Actor::interface(), &name, unique).map_err(to_rest_error))
        .await?;
    let body = to_bytes(&CreatedList { uid: made.uid.as_str(), name: &made.name });
    Ok(OperationResponse::Json(call.visit.rules.settings.list_create, body.into()))
}

pub async fn delete(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let uid = parse_delete(call.parameter)?;
    let rules = call.visit.rules.clone();
    let missing = rest_error_or(move || unknown_on_delete_refusal(&rules.settings, NOT_FOUND));
    call.visit.run_blocking(move |core| list::delete(core, &Actor::interface(), &uid).map_err(missing)).await?;
    Ok(OperationResponse::NoContent)
}
