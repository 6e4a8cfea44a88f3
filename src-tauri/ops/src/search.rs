//! Searches all records by number, name, title or uid. Results from an index come first and at once; then each call
//! searches a slice of the texts.

use roost_model::{error::FieldError, id::ContactId, page::PageRequest, phone};
use roost_store::{
    change_log::Noun,
    tables::{
        assets,
        batch::MatchKey,
        contacts::search::{self, FoundContact},
        custom_fields,
        lists::cards,
        senders, short_links,
    },
    tx::ReadTx,
};
use serde::{Deserialize, Serialize};

use crate::{contact::table::full_name, core::Core, error::Result};

/// A record that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SearchHit {
    pub noun: Noun,
    /// The id by which the record is opened: a uid, or the number of an opt-out or custom field.
    pub uid: String,
    /// The name of the record. A contact without a name has its number here.
    pub title: String,
    /// A detail that distinguishes the record from others with the same name.
    pub detail: String,
    /// The list of a contact.
    pub list_uid: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    pub text: String,
    /// The kind of records to search, or `None` for all.
    pub noun: Option<Noun>,
    /// The cursor at which the last call ended.
    pub after: Option<String>,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "SearchAnswer"))]
pub struct SearchResults {
    pub hits: Vec<SearchHit>,
    /// Send it as `after` to continue, even if this response has no hits, because each call searches only a part. Null
    /// at the end.
    pub next: Option<String>,
}

/// The position of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum SearchPosition {
    /// After this number of the records that are searched at once.
    Few(usize),
    /// After this opt-out among those whose numbers begin with the searched digits.
    OptOuts(String),
    /// After this contact among those whose numbers begin with the searched digits.
    Numbers { beginning: usize, list: i64, whatsapp: bool, number: String, id: i64 },
    /// After this row of the contacts whose texts are searched.
    Texts(i64),
}

/// The number of contacts whose texts one call searches.
const CONTACTS_PER_CALL: u32 = 8_000;
/// The number of lists whose numbers one call searches.
const LISTS_PER_CALL: u32 = 500;
/// The maximum number of calling codes tried for a number without one.
const MAX_CALLING_CODES: usize = 12;
/// The maximum number of results of a kind among the records that are searched at once.
const MAX_PER_KIND: usize = 50;

pub fn search_everything(core: &Core, query: &SearchQuery) -> Result<SearchResults> {
    let text = query.text.trim();
    let mut place = match query.after.as_deref() {
        None => SearchPosition::Few(0),
        Some(cursor) => {
            serde_json::from_str(cursor).map_err(|_| FieldError::new("after", "is not where a search stood", cursor))?
        }
    };
    if text.is_empty() {
        return Ok(SearchResults { hits: Vec::new(), next: None });
    }
    core.read(|tx| {
        let search = SearchPass { tx, text, noun: query.noun, limit: query.limit };
        let mut hits = Vec::new();
        loop {
            let step = search.search_slice(&place, query.limit - hits.len())?;
            hits.extend(step.hits);
            let Some(next) = step.next else { return Ok(SearchResults { hits, next: None }) };
            place = next;
            // A call ends when it has enough results or has done enough work.
            if hits.len() >= query.limit || step.is_work {
                return Ok(SearchResults { hits, next: serde_json::to_string(&place).ok() });
            }
        }
    })
}

struct SearchPass<'a, 'c> {
    tx: &'a ReadTx<'c>,
    text: &'a str,
    noun: Option<Noun>,
    limit: usize,
}

struct SearchSlice {
    hits: Vec<SearchHit>,
    next: Option<SearchPosition>,
    /// Whether the slice was expensive, so that the call should end.
    is_work: bool,
}

impl SearchPass<'_, '_> {
    fn includes_noun(&self, noun: Noun) -> bool {
        self.noun.is_none_or(|wanted| wanted == noun)
    }

    fn search_slice(&self, place: &SearchPosition, most: usize) -> Result<SearchSlice> {
        match place {
            SearchPosition::Few(done) => {
                let mut hits = self.find_few()?;
                let end = (done + most).min(hits.len());
                let is_full = end < hits.len();
                hits.truncate(end);
                hits.drain(..(*done).min(end));
                let next = if is_full { SearchPosition::Few(end) } else { SearchPosition::OptOuts(String::new()) };
                Ok(SearchSlice { hits, next: Some(next), is_work: false })
            }
            SearchPosition::OptOuts(behind) => self.find_opt_outs(behind, most),
            SearchPosition::Numbers { beginning, list, whatsapp, number, id } => {
                self.find_by_number(*beginning, *list, *whatsapp, (number, *id), most)
            }
            SearchPosition::Texts(behind) => self.find_by_text(*behind, most),
        }
    }

    /// Searches the kinds that have few records or are found completely by an index, best results first within each
    /// kind.
    fn find_few(&self) -> Result<Vec<SearchHit>> {
        let (tx, text) = (self.tx, self.text);
        let folded = text.to_lowercase();
        let has = |candidate: &str| candidate.to_lowercase().contains(&folded);
        let mut hits = Vec::new();
        if self.includes_noun(Noun::List) {
            hits.extend(cards::find_cards(tx, text, MAX_PER_KIND)?.into_iter().map(|card| {
                let (name, alias) = (card.list.name, card.alias.unwrap_or_default());
                new_hit(Noun::List, card.list.uid, name, alias)
            }));
        }
        if self.includes_noun(Noun::Contact)
            && let Ok(uid) = ContactId::parse(text)
        {
            hits.extend(search::find_by_uid(tx, &uid)?.map(to_contact_hit));
        }
        if self.includes_noun(Noun::Sender) {
            let all = senders::read_page(tx, PageRequest { number: 1, size: u32::MAX })?.items;
            let fits = all.into_iter().filter(|s| has(&s.name) || s.id.as_str() == text);
            hits.extend(fits.take(MAX_PER_KIND).map(|s| new_hit(Noun::Sender, s.id, s.name, String::new())));
        }
        let digits = phone::search_digits(text);
        if self.includes_noun(Noun::Asset) {
            let fits = assets::read_all(tx)?.into_iter().filter(|asset| {
                let by_number = digits.as_ref().is_some_and(|digits| asset.number.contains(digits));
                by_number || asset.id.as_str() == text || asset.keywords.iter().any(|keyword| has(keyword))
            });
            hits.extend(
                fits.take(MAX_PER_KIND).map(|a| new_hit(Noun::Asset, a.id, a.number, a.channel.as_str().to_owned())),
            );
        }
        if self.includes_noun(Noun::CustomField) {
            let fits = custom_fields::read_in_order(tx)?
                .into_iter()
                .filter(|field| has(&field.label) || format!("field_{}", field.number) == folded);
            hits.extend(
                fits.take(MAX_PER_KIND)
                    .map(|f| new_hit(Noun::CustomField, f.number, f.label, format!("field_{}", f.number))),
            );
        }
        if self.includes_noun(Noun::ShortLink) {
            let found = short_links::search_links(tx, text, MAX_PER_KIND)?;
            hits.extend(
                found.into_iter().map(|link| new_hit(Noun::ShortLink, link.link_id, link.title, link.target_url)),
            );
        }
        Ok(hits)
    }

    /// Returns the possible beginnings of the searched number in its stored form.
    fn number_beginnings(&self) -> Result<Vec<String>> {
        if phone::search_digits(self.text).is_none() {
            return Ok(Vec::new());
        }
        let mut codes: Vec<String> = Vec::new();
        for list in search::lists_from(self.tx, 0, LISTS_PER_CALL)? {
            for code in search::calling_codes(self.tx, list, MAX_CALLING_CODES)? {
                if !codes.contains(&code) && codes.len() < MAX_CALLING_CODES {
                    codes.push(code);
                }
            }
        }
        codes.sort();
        Ok(phone::search_beginnings(self.text, &codes))
    }

    fn find_opt_outs(&self, behind: &str, most: usize) -> Result<SearchSlice> {
        let first = SearchPosition::Numbers { beginning: 0, list: 0, whatsapp: false, number: String::new(), id: 0 };
        let mut step = SearchSlice { hits: Vec::new(), next: Some(first), is_work: false };
        if !self.includes_noun(Noun::OptOut) {
            return Ok(step);
        }
        for beginning in self.number_beginnings()?.iter().filter(|beginning| {
            // The beginnings before the position are already searched.
            behind < format!("{beginning}:").as_str()
        }) {
            let left = most - step.hits.len();
            let numbers = search::opted_out_by_prefix(self.tx, beginning, behind, left)?;
            let is_full = numbers.len() == left;
            let last = numbers.last().map(|(number, _)| number.clone());
            step.hits.extend(
                numbers.into_iter().map(|(number, channels)| new_hit(Noun::OptOut, &number, number.clone(), channels)),
            );
            if is_full && let Some(last) = last {
                step.next = Some(SearchPosition::OptOuts(last));
                return Ok(step);
            }
        }
        Ok(step)
    }

    fn find_by_number(
        &self,
        at: usize,
        list: i64,
        whatsapp: bool,
        behind: (&str, i64),
        most: usize,
    ) -> Result<SearchSlice> {
        let mut step = SearchSlice { hits: Vec::new(), next: Some(SearchPosition::Texts(0)), is_work: false };
        if !self.includes_noun(Noun::Contact) {
            step.next = None;
            return Ok(step);
        }
        let beginnings = self.number_beginnings()?;
        let (mut from, mut behind, mut whatsapp) = (list, behind, whatsapp);
        for (n, beginning) in beginnings.iter().enumerate().skip(at) {
            let lists = search::lists_from(self.tx, from, LISTS_PER_CALL)?;
            for list in &lists {
                for key in [MatchKey::Phone, MatchKey::Whatsapp] {
                    if whatsapp && key == MatchKey::Phone {
                        continue;
                    }
                    let left = most - step.hits.len();
                    let found = search::find_by_prefix(self.tx, *list, key, beginning, behind, left)?;
                    behind = ("", 0);
                    whatsapp = false;
                    let is_full = found.len() == left;
                    let last = found.last().cloned();
                    step.hits.extend(found.into_iter().map(to_contact_hit));
                    if is_full && let Some(last) = last {
                        let is_whatsapp = key == MatchKey::Whatsapp;
                        let number = if is_whatsapp { last.whatsapp } else { last.phone }.unwrap_or_default();
                        step.next = Some(SearchPosition::Numbers {
                            beginning: n,
                            list: *list,
                            whatsapp: is_whatsapp,
                            number,
                            id: last.id,
                        });
                        return Ok(step);
                    }
                }
            }
            if let Some(last) = lists.last().filter(|_| lists.len() == LISTS_PER_CALL as usize) {
                step.next = Some(SearchPosition::Numbers {
                    beginning: n,
                    list: last + 1,
                    whatsapp: false,
                    number: String::new(),
                    id: 0,
                });
                step.is_work = true;
                return Ok(step);
            }
            from = 0;
        }
        Ok(step)
    }

    fn find_by_text(&self, behind: i64, most: usize) -> Result<SearchSlice> {
        let custom = custom_fields::defined_numbers(self.tx)?;
        let (found, last) =
            search::find_by_text(self.tx, self.text, &custom, behind, CONTACTS_PER_CALL, most.min(self.limit))?;
        let beginnings = self.number_beginnings()?;
        let is_told = |number: &Option<String>| {
            number.as_ref().is_some_and(|number| beginnings.iter().any(|beginning| number.starts_with(beginning)))
        };
        let hits =
            found.into_iter().filter(|c| !is_told(&c.phone) && !is_told(&c.whatsapp)).map(to_contact_hit).collect();
        Ok(SearchSlice { hits, next: last.map(SearchPosition::Texts), is_work: true })
    }
}

fn new_hit(noun: Noun, uid: impl ToString, title: String, detail: String) -> SearchHit {
    SearchHit { noun, uid: uid.to_string(), title, detail, list_uid: None }
}

fn to_contact_hit(found: FoundContact) -> SearchHit {
    let number = found.phone.or(found.whatsapp).unwrap_or_default();
    let name = full_name(found.firstname.as_deref(), found.lastname.as_deref());
    let name = if name.is_empty() { found.company_name.or(found.email_address).unwrap_or_default() } else { name };
    let (title, number) = if name.is_empty() { (number, String::new()) } else { (name, number) };
    let detail = [number, found.list_name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    SearchHit { list_uid: Some(found.list.to_string()), ..new_hit(Noun::Contact, found.uid, title, detail) }
}
