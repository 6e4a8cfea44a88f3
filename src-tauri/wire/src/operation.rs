//! The sixteen operations. Router, rate lanes, permissions and OpenAPI all come from this one table.

use std::sync::LazyLock;

use crate::path::RequestPath;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    Get,
    Post,
    Delete,
}

roost_model::variant_names! { pub Method { Get = "GET", Post = "POST", Delete = "DELETE" } }

/// Determines the shape of errors and the prefix of their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Shape A, without codes.
    Senders,
    /// Shape B with codes `ERR_AST_…`. Also used for every unknown path.
    Assets,
    /// Shape B with codes `ERR_CNT_…`.
    Contacts,
}

/// A group of operations that a key may be permitted to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    Senders,
    Lists,
    Contacts,
    OptOuts,
    ShortLinks,
}

roost_model::variant_names! {
    pub Group {
        Senders = "senders", Lists = "lists", Contacts = "contacts", OptOuts = "optouts", ShortLinks = "shortlinks",
    }
}

/// What an operation does to jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEffect {
    None,
    /// It queues a job.
    Queues,
    /// It is the query that a caller polls until a job is done.
    Polls,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    pub id: OperationId,
    /// Name of the operation, which is also the name of its rate lane.
    pub name: &'static str,
    pub method: Method,
    /// The path as the interface writes it. A final slash may be present or absent.
    pub path: &'static str,
    pub family: Family,
    pub group: Group,
    pub reads_body: bool,
    /// Whether its responses may be cached while nothing in the account changes.
    pub is_cacheable: bool,
    pub job_effect: JobEffect,
    pub summary: &'static str,
}

macro_rules! operations {
    ($($id:ident = $name:literal, $method:ident $path:literal, $family:ident, $group:ident, body $reads_body:literal, kept $is_cacheable:literal, jobs $job_effect:ident, $summary:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(usize)]
        pub enum OperationId { $($id),* }

        pub const OPERATIONS: [Operation; OPERATION_COUNT] = [$(Operation {
            id: OperationId::$id,
            name: $name,
            method: Method::$method,
            path: $path,
            family: Family::$family,
            group: Group::$group,
            reads_body: $reads_body,
            is_cacheable: $is_cacheable,
            job_effect: JobEffect::$job_effect,
            summary: $summary,
        }),*];
    };
}

pub const OPERATION_COUNT: usize = 16;

operations! {
    SendersQuery = "senders.query", Get "/assets/v1/senders/", Senders, Senders, body false, kept true, jobs None, "Query senders";
    SendersGet = "senders.get", Get "/assets/v1/senders/{sender_id}", Senders, Senders, body false, kept true, jobs None, "Retrieve a sender";
    SendersDelete = "senders.delete", Delete "/assets/v1/senders/{sender_id}", Senders, Senders, body false, kept false, jobs None, "Delete a sender";
    ListsQuery = "lists.query", Get "/contacts/v1/lists/", Contacts, Lists, body false, kept true, jobs None, "Query lists";
    ListsCreate = "lists.create", Post "/contacts/v1/lists/create", Contacts, Lists, body true, kept false, jobs None, "Create an empty list";
    ListsDelete = "lists.delete", Delete "/contacts/v1/lists/{list_uid}", Contacts, Lists, body false, kept false, jobs None, "Delete a list";
    ContactsQuery = "contacts.query", Get "/contacts/v1/contacts/list/{list_uid}", Contacts, Contacts, body false, kept true, jobs Polls, "Query the contacts of a list";
    ContactsCreate = "contacts.create", Post "/contacts/v1/contacts", Contacts, Contacts, body true, kept false, jobs Queues, "Create and update contacts";
    ContactsDelete = "contacts.delete", Delete "/contacts/v1/contacts/{contact_uid}", Contacts, Contacts, body false, kept false, jobs None, "Delete a contact";
    OptOutsQuery = "optouts.query", Get "/contacts/v1/optouts", Contacts, OptOuts, body false, kept false, jobs None, "Query opt-outs";
    OptOutsCreate = "optouts.create", Post "/contacts/v1/optouts", Contacts, OptOuts, body true, kept false, jobs None, "Create an opt-out";
    OptOutsDelete = "optouts.delete", Delete "/contacts/v1/optouts", Contacts, OptOuts, body true, kept false, jobs None, "Delete opt-outs";
    ShortLinksCreate = "shortlinks.create", Post "/assets/v1/shortlink", Assets, ShortLinks, body true, kept false, jobs None, "Create a short link";
    ShortLinksGet = "shortlinks.get", Get "/assets/v1/shortlink/{link_id}", Assets, ShortLinks, body false, kept true, jobs None, "Retrieve a short link";
    ShortLinksSearch = "shortlinks.search", Post "/assets/v1/shortlink/filter", Assets, ShortLinks, body true, kept false, jobs None, "Search short links";
    ShortLinksDelete = "shortlinks.delete", Delete "/assets/v1/shortlink/{link_id}", Assets, ShortLinks, body false, kept false, jobs None, "Delete a short link";
}

impl Operation {
    /// Returns the name of the parameter in the path, if there is one.
    pub fn parameter(&self) -> Option<&'static str> {
        self.path.split('/').find_map(|s| s.strip_prefix('{')?.strip_suffix('}'))
    }
}

impl OperationId {
    pub fn operation(self) -> &'static Operation {
        &OPERATIONS[self as usize]
    }
}

struct PathPattern {
    operation: &'static Operation,
    segments: Vec<&'static str>,
    literals: usize,
}

static PATH_PATTERNS: LazyLock<Vec<PathPattern>> = LazyLock::new(|| {
    let pattern = |operation: &'static Operation| {
        let segments: Vec<_> = operation.path.split('/').filter(|s| !s.is_empty()).collect();
        let literals = segments.iter().filter(|s| !s.starts_with('{')).count();
        PathPattern { operation, segments, literals }
    };
    OPERATIONS.iter().map(pattern).collect()
});

impl PathPattern {
    fn match_path<'p>(&self, path: &'p RequestPath<'_>) -> Option<Option<&'p str>> {
        let segments = path.segments();
        if segments.len() != self.segments.len() {
            return None;
        }
        let mut parameter = None;
        for (have, want) in segments.iter().zip(&self.segments) {
            if want.starts_with('{') {
                parameter = Some(have.as_ref());
            } else if have.as_ref() != *want {
                return None;
            }
        }
        Some(parameter)
    }
}

/// The result of routing a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route<'p> {
    Operation {
        operation: &'static Operation,
        /// The identifier in the path, or an empty text if the operation has none.
        parameter: &'p str,
    },
    /// The path is known, and these are its methods.
    Options {
        allow: String,
    },
    WrongMethod {
        allow: String,
    },
    Unknown,
}

/// Finds the operation. HEAD is routed like GET, and a literal segment takes precedence over an identifier.
pub fn find_route<'p>(method: &str, path: &'p RequestPath<'_>) -> Route<'p> {
    if !path.is_well_formed() {
        return Route::Unknown;
    }
    let wanted = if method == "HEAD" { "GET" } else { method };
    let mut best: Option<(&PathPattern, &'p str)> = None;
    let mut known = false;
    for pattern in PATH_PATTERNS.iter() {
        let Some(parameter) = pattern.match_path(path) else { continue };
        known = true;
        if pattern.operation.method.as_str() == wanted && best.is_none_or(|(b, _)| b.literals < pattern.literals) {
            best = Some((pattern, parameter.unwrap_or_default()));
        }
    }
    match best {
        Some((pattern, parameter)) => Route::Operation { operation: pattern.operation, parameter },
        None if !known => Route::Unknown,
        None if method == "OPTIONS" => Route::Options { allow: allowed_methods(path) },
        None => Route::WrongMethod { allow: allowed_methods(path) },
    }
}

/// Lists every method of any operation that matches the path, so that no listed method is a wrong one.
fn allowed_methods(path: &RequestPath<'_>) -> String {
    let has = |method| PATH_PATTERNS.iter().any(|p| p.operation.method == method && p.match_path(path).is_some());
    let mut methods = Vec::with_capacity(5);
    if has(Method::Get) {
        methods.extend(["GET", "HEAD"]);
    }
    methods.extend([Method::Post, Method::Delete].into_iter().filter(|m| has(*m)).map(Method::as_str));
    methods.push("OPTIONS");
    methods.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(method: &str, raw: &str) -> String {
        match find_route(method, &RequestPath::parse(raw)) {
            Route::Operation { operation, parameter } => format!("{} {parameter}", operation.name),
            Route::Options { allow } => format!("options {allow}"),
            Route::WrongMethod { allow } => format!("wrong {allow}"),
            Route::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn every_operation_is_found_at_its_own_path() {
        for (index, operation) in OPERATIONS.iter().enumerate() {
            assert_eq!(operation.id as usize, index);
            assert_eq!(operation.id.operation(), operation);
            let path = operation.path.replace(['{', '}'], "");
            let want = format!("{} {}", operation.name, operation.parameter().unwrap_or_default());
            for raw in [path.trim_end_matches('/').to_owned(), format!("{}/", path.trim_end_matches('/'))] {
                assert_eq!(found(operation.method.as_str(), &raw), want, "{raw}");
            }
        }
    }

    #[test]
    fn literals_win_for_their_own_methods_only() {
        assert_eq!(found("POST", "/contacts/v1/lists/create"), "lists.create ");
        assert_eq!(found("DELETE", "/contacts/v1/lists/create"), "lists.delete create");
        assert_eq!(found("GET", "/assets/v1/shortlink/filter"), "shortlinks.get filter");
        assert_eq!(found("HEAD", "/assets/v1/shortlink/abc"), "shortlinks.get abc");
    }

    #[test]
    fn wrong_methods_and_unknown_paths_are_distinguished() {
        let cases = [
            ("GET", "/contacts/v1/lists/LST_1", "wrong DELETE, OPTIONS"),
            ("PATCH", "/contacts/v1/contacts/CON_1", "wrong DELETE, OPTIONS"),
            ("GET", "/contacts/v1/contacts", "wrong POST, OPTIONS"),
            ("PUT", "/assets/v1/shortlink/x", "wrong GET, HEAD, DELETE, OPTIONS"),
            ("POST", "/assets/v1/senders", "wrong GET, HEAD, OPTIONS"),
            ("HEAD", "/contacts/v1/contacts", "wrong POST, OPTIONS"),
            ("OPTIONS", "/contacts/v1/optouts", "options GET, HEAD, POST, DELETE, OPTIONS"),
            ("OPTIONS", "/contacts/v1/lists/create", "options POST, DELETE, OPTIONS"),
            ("PUT", "/assets/v1/shortlink/filter", "wrong GET, HEAD, POST, DELETE, OPTIONS"),
            ("GET", "/contacts/v1", "unknown"),
            ("OPTIONS", "/nowhere", "unknown"),
            ("GET", "/Contacts/v1/lists", "unknown"),
            ("GET", "/contacts//v1/lists", "unknown"),
        ];
        for (method, raw, want) in cases {
            assert_eq!(found(method, raw), want, "{method} {raw}");
        }
    }
}
