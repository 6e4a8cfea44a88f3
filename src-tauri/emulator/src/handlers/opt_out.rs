//! Handlers of the operations on opt-outs.

use roost_model::{opt_out::OptOutType, phone::without_separators};
use roost_ops::{Actor, Core, opt_out};
use roost_wire::{
    QueryString, RestError,
    opt_out::{
        CreateOutcome, Created, OptOut, ProcessedEntries, RemovalOutcome, Removed, parse_create, parse_delete,
        parse_query,
    },
    paging::{Paged, Paging, to_bytes},
};

use crate::door::{Call, answer::Answer, error::refusal};

pub async fn query(call: Call<'_>) -> Result<Answer, RestError> {
    let wanted = parse_query(&QueryString::parse(call.query))?;
    let fields = call.visit.rules.settings.asset_fields;
    let query = opt_out::OptOutQuery {
        number: wanted.number,
        kind: wanted.kind,
        channel: wanted.channel,
        asset: wanted.asset,
        inbound_number: wanted.inbound_number.as_deref().map(without_separators),
        from: wanted.from,
        to: wanted.to,
        order: wanted.order,
        page: wanted.page,
        fields,
    };
    let body = call.visit.read(move |core| {
        let found = opt_out::read_page(core, &query).map_err(refusal)?;
        let items = found.items.iter().map(|record| OptOut::from_record(record, fields)).collect();
        Ok(to_bytes(&Paged { paging: Paging::for_page(query.page, found.total_items), items }))
    });
    Ok(Answer::ok(body.await?))
}

pub async fn create(call: Call<'_>) -> Result<Answer, RestError> {
    let (sent, entries) = (call.body, call.visit.rules.settings.entries);
    let body = call.visit.long(move |core| created(core, &sent, entries)).await?;
    Ok(Answer::Json(201, body.into()))
}

fn created(core: &Core, sent: &[u8], entries: ProcessedEntries) -> Result<Vec<u8>, RestError> {
    let wanted = parse_create(sent, entries)?;
    let entries: Vec<_> = wanted
        .iter()
        .map(|entry| opt_out::OptOutEntry {
            number: &entry.number,
            channel: entry.channel.as_deref(),
            asset_id: entry.asset_id.as_deref(),
        })
        .collect();
    let outcomes = opt_out::create(core, &Actor::interface(), &entries, OptOutType::ApiImport).map_err(refusal)?;
    let items = outcomes.into_iter().map(|outcome| match outcome.result {
        Ok(record) => CreateOutcome::success(&record),
        Err(fault) => CreateOutcome::failure(outcome.number, outcome.channel, fault.message()),
    });
    Ok(to_bytes(&Created::from_outcomes(items.collect())))
}

pub async fn delete(call: Call<'_>) -> Result<Answer, RestError> {
    let sent = call.body;
    let body = call.visit.long(move |core| deleted(core, &sent)).await?;
    Ok(Answer::Json(call.visit.rules.settings.optout_delete, body.into()))
}

fn deleted(core: &Core, sent: &[u8]) -> Result<Vec<u8>, RestError> {
    let wanted = parse_delete(sent)?;
    let removal = opt_out::OptOutRemovalRequest {
        numbers: &wanted.numbers,
        channel: wanted.channel,
        asset: wanted.asset.as_ref(),
    };
    let outcomes = opt_out::delete(core, &Actor::interface(), &removal).map_err(refusal)?;
    let items = outcomes.into_iter().map(|outcome| match outcome.result {
        Ok(_) => RemovalOutcome::success(outcome.number),
        Err(fault) => RemovalOutcome::failure(outcome.number, fault.message()),
    });
    Ok(to_bytes(&Removed::from_outcomes(items.collect())))
}
