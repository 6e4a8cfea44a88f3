//! Handlers of the operations on opt-outs.

use roost_model::opt_out::OptOutType;
use roost_ops::{Actor, Core, opt_out};
use roost_wire::{
    QueryString, RestError,
    opt_out::{
        CreateOutcome, Created, OptOut, ProcessedEntries, RemovalOutcome, Removed, parse_create, parse_delete,
        parse_query,
    },
    paging::{Paged, Paging, to_bytes},
};

use crate::{
    door::OperationCall,
    http::{error::to_rest_error, response::OperationResponse},
};

pub(crate) async fn query(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let fields = call.visit.rules.settings.asset_fields;
    let query = opt_out::OptOutQuery { fields, ..parse_query(&QueryString::parse(call.query))? };
    let body = call.visit.read(move |core| {
        let found = opt_out::read_page(core, &query).map_err(to_rest_error)?;
        let items = found.items.iter().map(|record| OptOut::from_record(record, fields)).collect();
        Ok(to_bytes(&Paged { paging: Paging::for_page(query.page, found.total_items), items }))
    });
    Ok(OperationResponse::ok(body.await?))
}

pub(crate) async fn create(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let (sent, entries) = (call.body, call.visit.rules.settings.entries);
    let body = call.visit.write_sized(sent.len(), move |core| create_opt_outs(core, &sent, entries)).await?;
    Ok(OperationResponse::Json(201, body.into()))
}

fn create_opt_outs(core: &Core, sent: &[u8], entries: ProcessedEntries) -> Result<Vec<u8>, RestError> {
    let wanted = parse_create(sent, entries)?;
    let entries: Vec<_> = wanted
        .iter()
        .map(|entry| opt_out::OptOutEntry {
            number: &entry.number,
            channel: entry.channel.as_deref(),
            asset_id: entry.asset_id.as_deref(),
        })
        .collect();
    let outcomes =
        opt_out::create(core, &Actor::interface(), &entries, OptOutType::ApiImport).map_err(to_rest_error)?;
    let items = outcomes.into_iter().map(|outcome| match outcome.result {
        Ok(record) => CreateOutcome::success(&record),
        Err(fault) => CreateOutcome::failure(outcome.number, outcome.channel, fault.message()),
    });
    Ok(to_bytes(&Created::from_outcomes(items.collect())))
}

pub(crate) async fn delete(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let sent = call.body;
    let body = call.visit.run_blocking(move |core| delete_opt_outs(core, &sent)).await?;
    Ok(OperationResponse::Json(call.visit.rules.settings.optout_delete, body.into()))
}

fn delete_opt_outs(core: &Core, sent: &[u8]) -> Result<Vec<u8>, RestError> {
    let wanted = parse_delete(sent)?;
    let removal = opt_out::OptOutRemovalRequest {
        numbers: &wanted.numbers,
        channel: wanted.channel,
        asset: wanted.asset.as_ref(),
    };
    let outcomes = opt_out::delete(core, &Actor::interface(), &removal).map_err(to_rest_error)?;
    let items = outcomes.into_iter().map(|outcome| match outcome.result {
        Ok(_) => RemovalOutcome::success(outcome.number),
        Err(fault) => RemovalOutcome::failure(outcome.number, fault.message()),
    });
    Ok(to_bytes(&Removed::from_outcomes(items.collect())))
}
