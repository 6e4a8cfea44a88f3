//! Compares two images of accounts: exact counts, and as many of the differing records as the caller asks for.

use roost_store::db::{
    diff::{self, Difference, Ignored, Resource},
    image::Image,
};
use serde_json::{Map, Value};

use crate::error::Result;

/// The rules of a comparison, and the number of records to return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ask {
    /// The base of short URLs for links that do not have a base themselves.
    pub own_base: String,
    pub ignored: Ignored,
    /// The maximum number of records returned for each resource and kind of difference. The counts are not limited.
    pub limit: usize,
}

/// A record that exists on one side only.
#[derive(Debug, Clone, PartialEq)]
pub struct Alone {
    pub key: String,
    pub fields: Map<String, Value>,
}

/// A record that exists on both sides and differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    pub key: String,
    /// The changed fields, as in `{"name": {"before": …, "after": …}}`.
    pub fields: Map<String, Value>,
}

/// The exact count, and the first records up to the limit.
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

/// The differences of one resource.
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

/// The differences of all resources, in the order of [`Resource::ALL`].
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

/// Compares two images and returns what changed from `before` to `after`.
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

/// Parses resources and fields to ignore, such as `jobs, lists.updated_at`.
pub fn ignored(text: &str) -> std::result::Result<Ignored, String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let read = names.map(|name| {
        let (of, field) = name.split_once('.').map_or((name, None), |(of, field)| (of, Some(field)));
        let Some(resource) = Resource::ALL.into_iter().find(|resource| resource.name() == of) else {
            let all = Resource::ALL.map(Resource::name).join(", ");
            return Err(format!("there is no resource '{of}'; there are {all}"));
        };
        let is_custom = |field: &str| resource == Resource::Contacts && field.starts_with("field_");
        if let Some(field) = field.filter(|field| !is_custom(field)) {
            let fields = diff::fields(resource);
            if !fields.iter().any(|known| known == field) {
                return Err(format!("{of} have no field '{field}'; they have {}", fields.join(", ")));
            }
        }
        Ok((resource, field.map(str::to_owned)))
    });
    read.collect()
}
