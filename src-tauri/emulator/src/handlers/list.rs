//! Handlers of the operations on lists.

use roost_ops::{
    Actor, Core,
    list::{self, ListPart, UniqueNames},
};
use roost_wire::{
    QueryString, RestError,
    list::{CreatedList, NOT_FOUND, parse_create, parse_delete, parse_query, write_list},
    paging::{PageWriter, Paging, to_bytes},
};

use super::unknown_on_delete_refusal;
use crate::{
    door::OperationCall,
    http::{
        error::{rest_error_or, to_rest_error},
        response::OperationResponse,
    },
};

/// A list with a name of usual length, so that the text of a page is seldom copied while it grows.
const LIST_BYTES: usize = 192;

pub(crate) async fn query(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let query = parse_query(&QueryString::parse(call.query))?;
    let body = call.visit.read(move |core| {
        let mut out = Vec::with_capacity(LIST_BYTES * query.page.size as usize);
        let mut writer = PageWriter::default();
        let visit = |part: ListPart| match part {
            ListPart::Head { total_items } => {
                writer.write_head(Paging::for_page(query.page, total_items), &mut out);
            }
            ListPart::List(list) => {
                writer.separate(&mut out);
                write_list(list, &mut out);
            }
        };
        list::visit_page(core, &query, visit).map_err(to_rest_error)?;
        writer.write_foot(&mut out);
        Ok(out)
    });
    Ok(OperationResponse::ok(body.await?))
}

pub(crate) async fn create(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let name = parse_create(&call.body)?;
    let unique = call.visit.rules.settings.unique_names;
    let create = move |core: &Core| list::create(core, &Actor::interface(), &name, unique).map_err(to_rest_error);
    let created = match unique {
        UniqueNames::Off => call.visit.write(create).await?,
        // Every name is compared.
        UniqueNames::On => call.visit.run_blocking(create).await?,
    };
    let body = to_bytes(&CreatedList { uid: created.uid.as_str(), name: &created.name });
    Ok(OperationResponse::Json(call.visit.rules.settings.list_create, body.into()))
}

pub(crate) async fn delete(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let uid = parse_delete(call.parameter)?;
    let rules = call.visit.rules.clone();
    let missing = rest_error_or(move || unknown_on_delete_refusal(&rules.settings, NOT_FOUND));
    call.visit.run_blocking(move |core| list::delete(core, &Actor::interface(), &uid).map_err(missing)).await?;
    Ok(OperationResponse::NoContent)
}
