//! What differs between two images of accounts: true counts, and as many of the records as one wants to see.

use roost_store::db::{
    diff::{self, Difference, Ignored, Resource},
    image::Image,
};
use serde_json::{Map, Value};

use crate::error::Result;

/// What is to be compared, and how much of it told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ask {
    /// What short URLs begin with where a link has no base of its own.
    pub own_base: String,
    pub ignored: Ignored,
    /// As many records of each resource are told, for each way of differing; all are counted.
    pub limit: usize,
}

/// A record that is on one side alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Alone {
    pub key: String,
    pub fields: Map<String, Value>,
}

/// A record that is on both sides, and differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    pub key: String,
    /// `{"name": {"before": …, "after": …}}`
    pub fields: Map<String, Value>,
}

/// The true count, and the first of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    pub count: u64,
    pub items: Vec<T>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { count: 0, items: Vec::new() }
    }
}

impl<T> Found<T> {
    fn add(&mut self, limit: usize, told: impl FnOnce() -> Result<T>) -> Result<()> {
        self.count += 1;
        if self.items.len() < limit {
            self.items.push(told()?);
        }
        Ok(())
    }
}

/// How one resource differs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delta {
    pub added: Found<Alone>,
    pub removed: Found<Alone>,
    pub changed: Found<Changed>,
}

impl Delta {
    pub fn count(&self) -> u64 {
        self.added.count + self.removed.count + self.changed.count
    }
}

/// In the order of [`Resource::ALL`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diff {
    pub deltas: [Delta; Resource::ALL.len()],
}

impl Diff {
    pub fn is_empty(&self) -> bool {
        self.deltas.iter().all(|delta| delta.count() == 0)
    }

    pub fn of(&self, resource: Resource) -> &Delta {
        &self.deltas[resource as usize]
    }
}

/// From `before` to `after`.
pub fn between(before: &Image, after: &Image, ask: &Ask) -> Result<Diff> {
    let mut found = Diff::default();
    diff::between(before, after, &ask.own_base, &ask.ignored, |resource, difference| {
        let delta = &mut found.deltas[resource as usize];
        match difference {
            Difference::Added(record) => delta.added.add(ask.limit, || alone(&record)),
            Difference::Removed(record) => delta.removed.add(ask.limit, || alone(&record)),
            Difference::Changed { before, after } => delta.changed.add(ask.limit, || {
                Ok(Changed { key: before.key()?, fields: before.changes(&after, &ask.ignored, resource)? })
            }),
        }
    })?;
    Ok(found)
}

fn alone(record: &diff::Record) -> Result<Alone> {
    Ok(Alone { key: record.key()?, fields: record.fields()? })
}

/// Reads `jobs, lists.updated_at`: resources and fields that are of no interest.
pub fn ignored(text: &str) -> std::result::Result<Ignored, String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let read = names.map(|name| {
        let (of, field) = name.split_once('.').map_or((name, None), |(of, field)| (of, Some(field)));
        let Some(resource) = Resource::ALL.into_iter().find(|resource| resource.name() == of) else {
            let all = Resource::ALL.map(Resource::name).join(", ");
            return Err(format!("unknown resource '{of}'; resources: {all}"));
        };
        let is_custom = |field: &str| resource == Resource::Contacts && field.starts_with("field_");
        if let Some(field) = field.filter(|field| !is_custom(field)) {
            let fields = diff::fields(resource);
            if !fields.iter().any(|known| known == field) {
                return Err(format!("{of} have no field '{field}'; fields: {}", fields.join(", ")));
            }
        }
        Ok((resource, field.map(str::to_owned)))
    });
    read.collect()
}
