//! Handlers of the operations on senders.

use roost_model::id::SenderId;
use roost_ops::{Actor, sender};
use roost_wire::{
    QueryString, RestError,
    paging::{Paged, Paging, to_bytes},
    sender::{Sender, parse_query},
};

use crate::door::{
    Call,
    answer::Answer,
    error::{refusal, refusal_or},
};

pub async fn query(call: Call<'_>) -> Result<Answer, RestError> {
    let page = parse_query(&QueryString::parse(call.query))?;
    let body = call.visit.read(move |core| {
        let found = sender::read_page(core, page).map_err(refusal)?;
        let items = found.items.iter().map(Sender::from).collect();
        Ok(to_bytes(&Paged { paging: Paging::for_page(page, found.total_items), items }))
    });
    Ok(Answer::ok(body.await?))
}

pub async fn get(call: Call<'_>) -> Result<Answer, RestError> {
    let id = SenderId::parse(call.parameter).map_err(|_| RestError::SenderNotFound)?;
    let body = call.visit.read(move |core| {
        let found = sender::get(core, &id).map_err(refusal_or(|| RestError::SenderNotFound))?;
        Ok(to_bytes(&Sender::from(&found)))
    });
    Ok(Answer::ok(body.await?))
}

pub async fn delete(call: Call<'_>) -> Result<Answer, RestError> {
    let id = SenderId::parse(call.parameter).map_err(|_| RestError::SenderNotFound)?;
    let missing = refusal_or(|| RestError::SenderNotFound);
    call.visit.long(move |core| sender::delete(core, &Actor::interface(), &id).map_err(missing)).await?;
    Ok(Answer::NoContent)
}
