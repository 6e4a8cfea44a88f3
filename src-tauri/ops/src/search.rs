//! Searches all records by number, name, title or uid. Results from an index come first and at once; then each call
//! searches a slice of the texts.

use roost_model::{error::Fault, id::ContactId, page::PageRequest, phone};
use roost_store::{
    change_log::Noun,
    tables::{
        assets,
        batch::Key,
        contacts::probes::{self, Found},
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
pub struct Hit {
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    pub hits: Vec<Hit>,
    /// The cursor at which to continue, or `None` if the search is complete. A call may find nothing and still not be
    /// the last.
    pub next: Option<String>,
}

/// The position of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Place {
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
const SLICE: u32 = 8_000;
/// The number of lists whose numbers one call searches.
const LISTS: u32 = 500;
/// The maximum number of calling codes tried for a number without one.
const CODES: usize = 12;
/// The maximum number of results of a kind among the records that are searched at once.
const FEW: usize = 50;

pub fn everything(core: &Core, query: &SearchQuery) -> Result<Hits> {
    let text = query.text.trim();
    let mut place = match query.after.as_deref() {
        None => Place::Few(0),
        Some(cursor) => {
            serde_json::from_str(cursor).map_err(|_| Fault::new("after", "is not where a search stood", cursor))?
        }
    };
    if text.is_empty() {
        return Ok(Hits { hits: Vec::new(), next: None });
    }
    core.read(|tx| {
        let search = Search { tx, text, noun: query.noun, limit: query.limit };
        let mut hits = Vec::new();
        loop {
            let step = search.step(&place, query.limit - hits.len())?;
            hits.extend(step.hits);
            let Some(next) = step.next else { return Ok(Hits { hits, next: None }) };
            place = next;
            // A call ends when it has enough results or has done enough work.
            if hits.len() >= query.limit || step.is_work {
                return Ok(Hits { hits, next: serde_json::to_string(&place).ok() });
            }
        }
    })
}

struct Search<'a, 'c> {
    tx: &'a ReadTx<'c>,
    text: &'a str,
    noun: Option<Noun>,
    limit: usize,
}

struct Step {
    hits: Vec<Hit>,
    next: Option<Place>,
    /// Whether the slice was expensive, so that the call should end.
    is_work: bool,
}

impl Search<'_, '_> {
    fn wants(&self, noun: Noun) -> bool {
        self.noun.is_none_or(|wanted| wanted == noun)
    }

    fn step(&self, place: &Place, most: usize) -> Result<Step> {
        match place {
            Place::Few(done) => {
                let mut hits = self.few()?;
                let end = (done + most).min(hits.len());
                let is_full = end < hits.len();
                hits.truncate(end);
                hits.drain(..(*done).min(end));
                let next = if is_full { Place::Few(end) } else { Place::OptOuts(String::new()) };
                Ok(Step { hits, next: Some(next), is_work: false })
            }
            Place::OptOuts(behind) => self.opt_outs(behind, most),
            Place::Numbers { beginning, list, whatsapp, number, id } => {
                self.numbers(*beginning, *list, *whatsapp, (number, *id), most)
            }
            Place::Texts(behind) => self.texts(*behind, most),
        }
    }

    /// Searches the kinds that have few records or are found completely by an index, best results first within each
    /// kind.
    fn few(&self) -> Result<Vec<Hit>> {
        let (tx, text) = (self.tx, self.text);
        let folded = text.to_lowercase();
        let has = |candidate: &str| candidate.to_lowercase().contains(&folded);
        let mut hits = Vec::new();
        if self.wants(Noun::List) {
            hits.extend(cards::find(tx, text, FEW)?.into_iter().map(|card| {
                let (name, alias) = (card.list.name, card.alias.unwrap_or_default());
                hit(Noun::List, card.list.uid, name, alias)
            }));
        }
        if self.wants(Noun::Contact)
            && let Ok(uid) = ContactId::parse(text)
        {
            hits.extend(probes::by_uid(tx, &uid)?.map(contact));
        }
        if self.wants(Noun::Sender) {
            let all = senders::page(tx, PageRequest { number: 1, size: u32::MAX })?.items;
            let fits = all.into_iter().filter(|s| has(&s.name) || s.id.as_str() == text);
            hits.extend(fits.take(FEW).map(|s| hit(Noun::Sender, s.id, s.name, String::new())));
        }
        let digits = phone::sought_digits(text);
        if self.wants(Noun::Asset) {
            let fits = assets::all(tx)?.into_iter().filter(|asset| {
                let by_number = digits.as_ref().is_some_and(|digits| asset.number.contains(digits));
                by_number || asset.id.as_str() == text || asset.keywords.iter().any(|keyword| has(keyword))
            });
            hits.extend(fits.take(FEW).map(|a| hit(Noun::Asset, a.id, a.number, a.channel.as_str().to_owned())));
        }
        if self.wants(Noun::CustomField) {
            let fits = custom_fields::in_order(tx)?
                .into_iter()
                .filter(|field| has(&field.label) || format!("field_{}", field.number) == folded);
            hits.extend(
                fits.take(FEW).map(|f| hit(Noun::CustomField, f.number, f.label, format!("field_{}", f.number))),
            );
        }
        if self.wants(Noun::ShortLink) {
            let found = short_links::find(tx, text, FEW)?;
            hits.extend(found.into_iter().map(|link| hit(Noun::ShortLink, link.link_id, link.title, link.target_url)));
        }
        Ok(hits)
    }

    /// Returns the possible beginnings of the searched number in its stored form.
    fn beginnings(&self) -> Result<Vec<String>> {
        if phone::sought_digits(self.text).is_none() {
            return Ok(Vec::new());
        }
        let mut codes: Vec<String> = Vec::new();
        for list in probes::lists_from(self.tx, 0, LISTS)? {
            for code in probes::calling_codes(self.tx, list, CODES)? {
                if !codes.contains(&code) && codes.len() < CODES {
                    codes.push(code);
                }
            }
        }
        codes.sort();
        Ok(phone::sought_beginnings(self.text, &codes))
    }

    fn opt_outs(&self, behind: &str, most: usize) -> Result<Step> {
        let first = Place::Numbers { beginning: 0, list: 0, whatsapp: false, number: String::new(), id: 0 };
        let mut step = Step { hits: Vec::new(), next: Some(first), is_work: false };
        if !self.wants(Noun::OptOut) {
            return Ok(step);
        }
        for beginning in self.beginnings()?.iter().filter(|beginning| {
            // The beginnings before the position are already searched.
            behind < format!("{beginning}:").as_str()
        }) {
            let left = most - step.hits.len();
            let numbers = probes::opted_out(self.tx, beginning, behind, left)?;
            let is_full = numbers.len() == left;
            let last = numbers.last().map(|(number, _)| number.clone());
            step.hits.extend(
                numbers.into_iter().map(|(number, channels)| hit(Noun::OptOut, &number, number.clone(), channels)),
            );
            if is_full && let Some(last) = last {
                step.next = Some(Place::OptOuts(last));
                return Ok(step);
            }
        }
        Ok(step)
    }

    fn numbers(&self, at: usize, list: i64, whatsapp: bool, behind: (&str, i64), most: usize) -> Result<Step> {
        let mut step = Step { hits: Vec::new(), next: Some(Place::Texts(0)), is_work: false };
        if !self.wants(Noun::Contact) {
            step.next = None;
            return Ok(step);
        }
        let beginnings = self.beginnings()?;
        let (mut from, mut behind, mut whatsapp) = (list, behind, whatsapp);
        for (n, beginning) in beginnings.iter().enumerate().skip(at) {
            let lists = probes::lists_from(self.tx, from, LISTS)?;
            for list in &lists {
                for key in [Key::Phone, Key::Whatsapp] {
                    if whatsapp && key == Key::Phone {
                        continue;
                    }
                    let left = most - step.hits.len();
                    let found = probes::beginning(self.tx, *list, key, beginning, behind, left)?;
                    behind = ("", 0);
                    whatsapp = false;
                    let is_full = found.len() == left;
                    let last = found.last().cloned();
                    step.hits.extend(found.into_iter().map(contact));
                    if is_full && let Some(last) = last {
                        let is_whatsapp = key == Key::Whatsapp;
                        let number = if is_whatsapp { last.whatsapp } else { last.phone }.unwrap_or_default();
                        step.next = Some(Place::Numbers {
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
            if let Some(last) = lists.last().filter(|_| lists.len() == LISTS as usize) {
                step.next = Some(Place::Numbers {
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

    fn texts(&self, behind: i64, most: usize) -> Result<Step> {
        let custom = custom_fields::numbers(self.tx)?;
        let (found, last) = probes::scan(self.tx, self.text, &custom, behind, SLICE, most.min(self.limit))?;
        let beginnings = self.beginnings()?;
        let is_told = |number: &Option<String>| {
            number.as_ref().is_some_and(|number| beginnings.iter().any(|beginning| number.starts_with(beginning)))
        };
        let hits = found.into_iter().filter(|c| !is_told(&c.phone) && !is_told(&c.whatsapp)).map(contact).collect();
        Ok(Step { hits, next: last.map(Place::Texts), is_work: true })
    }
}

fn hit(noun: Noun, uid: impl ToString, title: String, detail: String) -> Hit {
    Hit { noun, uid: uid.to_string(), title, detail, list_uid: None }
}

fn contact(found: Found) -> Hit {
    let number = found.phone.or(found.whatsapp).unwrap_or_default();
    let name = full_name(found.firstname.as_deref(), found.lastname.as_deref());
    let name = if name.is_empty() { found.company_name.or(found.email_address).unwrap_or_default() } else { name };
    let (title, number) = if name.is_empty() { (number, String::new()) } else { (name, number) };
    let detail = [number, found.list_name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    Hit { list_uid: Some(found.list.to_string()), ..hit(Noun::Contact, found.uid, title, detail) }
}
