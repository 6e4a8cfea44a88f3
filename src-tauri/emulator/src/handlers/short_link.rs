//! Short links over REST.

use roost_ops::{By, short_link};
use roost_wire::{
    Refusal,
    paging::{Paged, Paging, to_bytes},
    short_link::{ShortLink, not_found, parse_create, parse_id, parse_search},
};

use crate::door::{
    Call,
    answer::Answer,
    error::{refusal, refusal_or},
};

pub async fn create(call: Call<'_>) -> Result<Answer, Refusal> {
    let parts = parse_create(&call.body)?;
    let link = call.visit.long(move |core| short_link::create(core, &By::interface(), parts).map_err(refusal)).await?;
    Ok(Answer::ok(to_bytes(&ShortLink::of(&link, &call.visit.short_base()))))
}

pub async fn get(call: Call<'_>) -> Result<Answer, Refusal> {
    let id = parse_id("get_short_link_by_id.id", call.parameter)?;
    let base = call.visit.short_base();
    let body = call.visit.read(move |core| {
        let link = short_link::get(core, &id).map_err(refusal_or(|| not_found(&id)))?;
        Ok(to_bytes(&ShortLink::of(&link, &base)))
    });
    Ok(Answer::ok(body.await?))
}

pub async fn search(call: Call<'_>) -> Result<Answer, Refusal> {
    let wanted = parse_search(&call.body)?;
    let query = short_link::LinkQuery {
        query: wanted.query,
        tags: wanted.tags,
        from: wanted.from,
        to: wanted.to,
        order: wanted.order,
        page: wanted.page,
    };
    let base = call.visit.short_base();
    // Words and tags are compared link by link, which may take long.
    let body = call.visit.long(move |core| {
        let found = short_link::search(core, &query).map_err(refusal)?;
        let items = found.items.iter().map(|link| ShortLink::of(link, &base)).collect();
        Ok(to_bytes(&Paged { paging: Paging::of(query.page, found.total_items), items }))
    });
    Ok(Answer::ok(body.await?))
}

pub async fn delete(call: Call<'_>) -> Result<Answer, Refusal> {
    let id = parse_id("delete_short_link_by_id.id", call.parameter)?;
    call.visit
        .long(move |core| short_link::delete(core, &By::interface(), &id).map_err(refusal_or(|| not_found(&id))))
        .await?;
    Ok(Answer::NoContent)
}
