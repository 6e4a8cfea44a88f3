//! One door for every reader of bytes from outside except those of sheets (`readers.rs`) and of the server (`server.rs`):
//! spellings, settings, filters, requests, seeds, recordings, responses of a service, account files, sealed keys, messages
//! of a page.
//! cargo fuzz (`make fuzz`) and the mutations that run with every test go through the same ones.

#![allow(dead_code, reason = "each target of cargo fuzz needs one of these")]

use std::{
    fmt::Display,
    fs,
    path::Path,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use roost_app::App;
use roost_emulator::{
    HumanDuration, Matcher, PageOrigin, PublicUrl, RecordedText, Settings, WorldPrefix, fidelity::CheckReport,
    known_method, read_recording,
};
use roost_model::{
    asset,
    channel::Channel,
    contact::{ContactField, MergeType, email},
    custom_field,
    error::FieldError,
    filter::{parse_filter, parse_sort},
    id::{AssetId, ContactId, LinkId, ListId, SenderId},
    list,
    page::SortOrder,
    pattern::TextPattern,
    phone::{self, Phone, Region, TypedNumber},
    sender, short_link,
    time::{TimeBound, Timestamp, date},
};
use roost_ops::{
    Actor, Core, Ctx, Image, account,
    account::backup,
    ctx::Clock,
    diff,
    list::{self as ops_list, UniqueNames},
    opt_out, overview,
    seed::{self, SeedFormat},
};
use roost_spelling::{consent, country, is_excluded_phone_name, normalize_name, number, person_name};
use roost_sync::{
    remote::{
        CallFailure, Client, ConnectionSettings, ContactsParams, KeyHeader, LinksParams, ListsParams, OperationPaths,
        OptOutsParams, PageParams, QueryOrder, RemoteContact, RemoteLink, RemoteList, RemoteOptOut, RemoteSender,
        ReplyFuture, ServiceCall, ServiceError, ServiceRequest, ServiceResponse, ServiceTransport,
    },
    vault::{KeyVault, SealedVault, Secret},
};
use roost_wire::{
    Family, OPERATIONS, QueryString, RequestPath, RestError, body, contact, find_route, list as wire_list,
    opt_out as wire_opt_out, sender as wire_sender, short_link as wire_link, strictness,
};
use serde::de::IgnoredAny;
use serde_json::Value;

/// A refusal is an answer like another; what must not be is a panic.
pub(crate) type ByteReader = fn(&[u8]);

/// Every reader by its name.
pub(crate) const ALL: [(&str, ByteReader); 11] = [
    ("spelling", spelling),
    ("setting", setting),
    ("filter", filter),
    ("query", query),
    ("body", body),
    ("seed", seed),
    ("recording", recording),
    ("answer", answer),
    ("account", account),
    ("sealed_key", sealed_key),
    ("command", command),
];

/// Bytes that part what stands for one part of an input from the next; no text has them.
pub(crate) const BETWEEN_PARTS: u8 = 0xff;

/// Takes a value that only had to be read.
fn discard<T>(_: T) {}

fn check_message(message: impl Display) {
    assert!(message.to_string().len() > 5, "a refusal says what it is");
}

fn check_field_errors(errors: &[FieldError]) {
    assert!(!errors.is_empty(), "a refusal names a field");
    errors.iter().for_each(|error| check_message(&error.message));
}

/// Whatever a person or another program writes into a cell or a field.
pub(crate) fn spelling(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    read_numbers(text);
    read_times(text);
    read_names(text);
    assert!(!opt_out::parse_rows(text, opt_out::PastedSeparator::detect(text)).iter().any(|row| row.line == 0));
    for (found, written) in [
        (ListId::parse(text).ok().map(|id| id.to_string()), "a list"),
        (ContactId::parse(text).ok().map(|id| id.to_string()), "a contact"),
        (LinkId::parse(text).ok().map(|id| id.to_string()), "a link"),
        (SenderId::parse(text).ok().map(|id| id.to_string()), "a sender"),
        (AssetId::parse(text).ok().map(|id| id.to_string()), "an asset"),
    ] {
        assert!(found.is_none_or(|id| id == text), "{written} has the id that was read");
    }
    for is_case_sensitive in [true, false] {
        match TextPattern::new(text, is_case_sensitive) {
            Ok(pattern) => discard((pattern.is_match("Ada 07700 900001"), pattern.replace_matches("Ada", "$1", true))),
            Err(why) => check_message(why),
        }
    }
}

fn read_numbers(text: &str) {
    let gb = Region::gb();
    let found: [Option<Phone>; 4] = [
        phone::parse_contact_number(text, gb),
        phone::parse_international(text),
        number::read_number(text, gb),
        opt_out::read_number(text, Some(gb)),
    ];
    for Phone { e164, region } in found.into_iter().flatten() {
        let digits = e164.strip_prefix('+').unwrap_or_default();
        assert!((4..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()), "{e164}");
        assert!(!region.is_empty());
    }
    if let TypedNumber::Invalid(why) = phone::read_typed(text, gb) {
        check_message(why);
    }
    discard((number::international_region(text), number::replace_international_prefix(text)));
    discard((number::plain_number(text), phone::search_form(text), opt_out::parse_number_part(text)));
    discard((Region::parse(text), Region::from_locale(text), country::find_region(text)));
    discard((account::parse_country(text).map_err(|why| check_message(why.message)), custom_field::parse_key(text)));
    for channel in [Channel::Sms, Channel::WhatsApp] {
        discard(asset::check_number(channel, text).map_err(|why| check_message(why.message)));
    }
}

fn read_times(text: &str) {
    if let Some(at) = Timestamp::parse_iso(text) {
        assert_eq!(at.to_iso(), text);
    }
    if let Some(at) = Timestamp::parse_plain(text) {
        assert_eq!(at.to_plain(), text);
    }
    if let Some(bound) = TimeBound::parse(text) {
        assert!(bound.at_or_before() <= bound.at_or_after());
    }
    discard((date::parse_date(text), date::read_day(text), date::read_birthday(text)));
    discard((date::is_impossible_date(text), date::without_time(text)));
}

fn read_names(text: &str) {
    let name = normalize_name(text);
    assert_eq!(name.trim(), name);
    discard((is_excluded_phone_name(&name), consent::has_stem(&name), consent::is_opt_out(text)));
    discard((consent::is_opt_out_list(text), consent::is_opt_out_title(text)));
    assert!(consent::split_items(text).all(|item| !item.is_empty()));
    discard((person_name::split_title(text), person_name::find_title(text), person_name::split_last_first(text, true)));
    discard((email::is_email_address(text), email::fix_typing_error(text)));
    discard((short_link::is_web_address(text), short_link::is_local_address(text)));
    discard(short_link::SearchWords::from_query(text).match_link(text, &[text.to_owned()]));
    discard((ContactField::parse(text, |_| true), MergeType::parse(text)));
    discard((list::check_name(text), sender::check_name(text), asset::check_keyword(text), account::check_name(text)));
    discard(diff::parse_ignored(text).map_err(check_message));
}

/// The name of a setting or of an operation, a line end, and its value; and every address and report that settings name.
pub(crate) fn setting(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let (name, value) = text.split_once('\n').unwrap_or(("", text));
    discard(Settings::default().set(name, value).map_err(check_message));
    if let Ok(time) = value.parse::<HumanDuration>() {
        assert_eq!(time.to_string().parse::<HumanDuration>(), Ok(time), "a duration is written as it can be read");
    }
    if let Ok(url) = value.parse::<PublicUrl>() {
        assert_eq!(url.as_str().parse::<PublicUrl>().as_ref().map(PublicUrl::as_str), Ok(url.as_str()));
    }
    discard(value.parse::<PageOrigin>().map_err(check_message));
    discard(value.parse::<WorldPrefix>().map_err(check_message));
    match ConnectionSettings::new(value) {
        Ok(settings) => assert!(settings.base().starts_with("http") && settings.origin().starts_with("http")),
        Err(why) => check_message(why),
    }
    discard(OperationPaths::new([(name, value)]).map_err(check_message));
    discard(KeyHeader::new(name, value).map_err(|why| check_message(why.to_string())));
    discard(CheckReport::read(bytes).map_err(check_message));
}

/// A filter or a sort order of a view, and a matcher of the journal as JSON or as one line.
pub(crate) fn filter(bytes: &[u8]) {
    let is_defined = |number: u32| number < 4;
    discard(Matcher::from_filter(&String::from_utf8_lossy(bytes)).map_err(check_message));
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    discard(parse_filter(&value, "filter", &is_defined).map_err(|errors| check_field_errors(&errors)));
    let keys = value.as_object().into_iter().flatten();
    let keys: Vec<_> = keys.map(|(key, _)| (key.clone(), SortOrder::Ascending)).collect();
    discard(parse_sort(&keys, "sort", &is_defined).map_err(|errors| check_field_errors(&errors)));
    discard(Matcher::read(&value, "match").map_err(check_message));
    discard(Matcher::read_list(&value, "match").map_err(check_message));
}

/// Writes a refusal in the shape of each family.
fn check_refusal<T>(read: Result<T, RestError>) {
    let Err(refusal) = read else { return };
    assert!((400..500).contains(&refusal.status()), "{refusal:?}");
    for family in [Family::Senders, Family::Assets, Family::Contacts] {
        let written = refusal.to_body(family, "0123456789abcdef", "2026-01-05T09:00:00.000000000Z");
        // A value that is given back may hold half of a surrogate pair, which is JSON and no text.
        assert!(serde_json::from_slice::<IgnoredAny>(&written).is_ok(), "{refusal:?}");
        let written = String::from_utf8_lossy(&written);
        assert!(written.contains("\"errors\":[") || written.contains("\"message\":\""), "{refusal:?}");
    }
}

/// The method, the path and the query of a request to the interface, each on a line.
pub(crate) fn query(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(3, '\n');
    let (method, path) = (lines.next().unwrap_or_default(), RequestPath::parse(lines.next().unwrap_or_default()));
    let raw = lines.next().unwrap_or_default();
    let query = QueryString::parse(raw);
    discard(find_route(method, &path));
    let id = path.segments().last().map_or("", |segment| segment.as_ref());
    check_refusal(wire_sender::parse_query(&query));
    check_refusal(wire_list::parse_query(&query));
    check_refusal(contact::parse_query(id, &query, |number| number < 4));
    check_refusal(wire_opt_out::parse_query(&query));
    check_refusal(contact::parse_delete(id));
    check_refusal(wire_list::parse_delete(id));
    check_refusal(wire_link::parse_id("id", id));
    for operation in &OPERATIONS {
        discard(strictness::find_unknown_parameter(operation.id, &query));
        discard(strictness::find_deprecated_form(operation.id, raw, ""));
    }
}

/// The body of a request to the interface, whichever operation it is for.
pub(crate) fn body(bytes: &[u8]) {
    check_refusal(wire_list::parse_create(bytes));
    check_refusal(wire_opt_out::parse_create(bytes, wire_opt_out::ProcessedEntries::First));
    check_refusal(wire_opt_out::parse_create(bytes, wire_opt_out::ProcessedEntries::All));
    check_refusal(wire_opt_out::parse_delete(bytes));
    check_refusal(wire_link::parse_create(bytes));
    check_refusal(wire_link::parse_search(bytes));
    discard(body::is_json(Some(bytes)));
    let Ok(text) = body::body_text(bytes) else { return };
    check_refusal(contact::parse_create(text, &[1, 2, 3]));
    for operation in &OPERATIONS {
        discard(strictness::find_unknown_field(operation.id, text, &[1, 2, 3]));
        discard(strictness::find_deprecated_form(operation.id, "", text));
    }
}

const BASE: &str = "http://127.0.0.1:4010/s";

fn new_core() -> Core {
    let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 7);
    Core::in_memory(ctx).expect("an account in memory")
}

/// A seed file in JSON, YAML or lines. All of it is applied, and then comes back from its export; or nothing is.
pub(crate) fn seed(bytes: &[u8]) {
    let export = |core: &Core| {
        let mut out = Vec::new();
        seed::export_as(core, BASE, SeedFormat::Json, &mut out).expect("an export");
        out
    };
    let core = new_core();
    match seed::apply(&core, &Actor::operator(), bytes, BASE) {
        Ok(_) => {
            let (exported, again) = (export(&core), new_core());
            seed::apply(&again, &Actor::operator(), &exported, BASE).expect("an export is a seed");
            assert_eq!(String::from_utf8(export(&again)), String::from_utf8(exported));
        }
        Err(why) => {
            check_message(&why);
            assert!(seed::is_fillable(&core).expect("read"), "half of a seed was applied: {why}");
        }
    }
}

/// A recording of requests that are to be sent again: an HTTP archive, or lines of the journal.
pub(crate) fn recording(bytes: &[u8]) {
    match read_recording(bytes) {
        Ok(all) => {
            for (one, at) in all.iter().zip(1..) {
                assert_eq!(one.at, at, "every request has its number");
                match one.skip_reason() {
                    Some(why) => check_message(why),
                    None => assert!(known_method(&one.method).is_some() && one.body != RecordedText::Cut),
                }
            }
        }
        Err(why) => check_message(why),
    }
}

/// A service that answers every request alike.
struct SameAnswer {
    status: u16,
    retry_after: Option<String>,
    date: Option<String>,
    body: Vec<u8>,
}

impl ServiceTransport for SameAnswer {
    fn carry_request(&self, _: ServiceRequest) -> ReplyFuture<'_> {
        // In pieces, so that values are cut.
        let pieces: Vec<Result<Bytes, CallFailure>> =
            self.body.chunks(1_000).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let (status, retry_after, date) = (self.status, self.retry_after.clone(), self.date.clone());
        let body = Box::pin(futures_util::stream::iter(pieces));
        Box::pin(async move { Ok(ServiceResponse { status, retry_after, date, body }) })
    }
}

fn check_service_error<T>(read: Result<T, ServiceError>) -> Option<T> {
    let error = match read {
        Ok(read) => return Some(read),
        Err(error) => error,
    };
    check_message(&error);
    assert!(error.refused_contacts().iter().all(|(_, messages)| messages.iter().all(|message| !message.is_empty())));
    None
}

/// A response of a service: status, Retry-After, Date and body, read as the answer of every operation.
pub(crate) fn answer(bytes: &[u8]) {
    let mut parts = bytes.splitn(4, |byte| *byte == BETWEEN_PARTS);
    let mut next =
        || parts.next().map(|part| String::from_utf8_lossy(part).into_owned()).filter(|text| !text.is_empty());
    let status =
        next().and_then(|text| text.parse::<u16>().ok()).filter(|status| (200..600).contains(status)).unwrap_or(200);
    let (retry_after, date) = (next(), next());
    let body = bytes.splitn(4, |byte| *byte == BETWEEN_PARTS).nth(3).unwrap_or_default().to_vec();
    let service = Arc::new(SameAnswer { status, retry_after, date, body });
    let settings = ConnectionSettings::new("http://service.test").expect("an address");
    // One client for each call, because the next one of a lane may have to wait.
    let client = || Client::new(service.clone(), settings.clone());
    let page = PageParams { number: 1, size: 100 };
    let links = LinksParams { text: None, since: None, order: QueryOrder::Rising, page };
    let lists = ListsParams { name: None, page };
    let reading = async {
        let calls = ServiceCall::query_senders(page);
        check_service_error(client().read_page_once::<RemoteSender>(&calls).await);
        let calls = ServiceCall::query_lists(&lists);
        check_service_error(client().read_page_once::<RemoteList>(&calls).await);
        let calls = ServiceCall::query_opt_outs(&OptOutsParams::default());
        check_service_error(client().read_page_once::<RemoteOptOut>(&calls).await);
        let calls = ServiceCall::search_links(&links);
        check_service_error(client().read_page_once::<RemoteLink>(&calls).await);
        let calls = ServiceCall::query_contacts("LST_1", &ContactsParams::All);
        if let Some(page) = check_service_error(client().read_page_once::<RemoteContact>(&calls).await) {
            let mut uids: Vec<_> =
                page.items.iter().map(|contact| &contact.uid).filter(|uid| !uid.is_empty()).collect();
            let count = uids.len();
            uids.sort_unstable();
            uids.dedup();
            assert_eq!(uids.len(), count, "no contact twice");
        }
        for call in [
            ServiceCall::create_list("A"),
            ServiceCall::create_opt_out("+447700900001", Channel::Sms, None),
            ServiceCall::delete_list("LST_1"),
        ] {
            let client = client();
            let written = check_service_error(client.wait_for_turn(call.lane).await.send(&call).await);
            discard(written.map(|written| (written.uid().map(str::to_owned), written.link())));
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(reading);
}

/// An account file and its log, as they are while a program has the account open.
fn whole_account() -> &'static [Vec<u8>; 2] {
    static WHOLE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("account.roost");
        let open = || Core::open(&file, Ctx::system()).expect("an account");
        drop(open());
        let core = open();
        ops_list::create(&core, &Actor::user(None), "Guests", UniqueNames::Off).expect("a list");
        [&file, &folder.path().join("account.roost-wal")].map(|path| fs::read(path).expect("read"))
    })
}

/// Damage to an account file and its log, piece by piece: a byte that says which of the two, three that say where, one with
/// the number of bytes, and those bytes. A number of 128 or more also ends the file there.
pub(crate) fn account(bytes: &[u8]) {
    let mut files = whole_account().clone();
    let mut rest = bytes;
    while let Some((head, after)) = rest.split_first_chunk::<5>() {
        let file = &mut files[usize::from(head[0] % 2)];
        if file.is_empty() {
            break;
        }
        let at = u32::from_be_bytes([0, head[1], head[2], head[3]]) as usize % file.len();
        let (new, after) = after.split_at(usize::from(head[4] % 32).min(after.len()));
        file.iter_mut().skip(at).zip(new).for_each(|(byte, new)| *byte = *new);
        if head[4] >= 128 {
            file.truncate(at);
        }
        rest = after;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("account.roost");
    fs::write(&file, &files[0]).expect("written");
    // Only what a program left behind has a log without the rest of its state.
    if bytes.first().is_some_and(|first| first & 2 == 0) {
        fs::write(folder.path().join("account.roost-wal"), &files[1]).expect("written");
    }
    discard(Image::check(&files[0]).map_err(check_message));
    discard(backup::inspect_file(&file));
    match Core::open(&file, Ctx::system()) {
        Ok(core) => discard(overview::get(&core).map_err(check_message)),
        Err(why) => check_message(why),
    }
}

/// A file with a sealed key. One that would take long to open is left out; that the program refuses dearer ones is tested
/// beside it.
pub(crate) fn sealed_key(bytes: &[u8]) {
    let cost = |at: usize| bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes);
    let (memory, passes, lanes) = (cost(12), cost(16), cost(20));
    if memory > 512 || passes > 2 || lanes > 4 {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.key");
    fs::write(&file, bytes).expect("written");
    match SealedVault::new(&file, Secret::new("correct horse")).get() {
        Ok(found) => assert!(found.is_none(), "nobody sealed a key"),
        Err(why) => check_message(why),
    }
}

/// The commands that neither use a file, the network or the desktop nor wait.
const COMMANDS: [&str; 14] = [
    "account_country",
    "activity_",
    "asset_",
    "contact_",
    "custom_field_",
    "history_",
    "job_",
    "list_",
    "number_",
    "opt_out_",
    "search_",
    "sender_",
    "short_link_",
    "trash_",
];
const FILE_COMMANDS: [&str; 2] = ["opt_out_evidence", "opt_out_import_file"];

/// Messages of a page, each on a line: the name of the command, a space and its request.
pub(crate) fn command(bytes: &[u8]) {
    let core = new_core();
    let app = App::with_core(core.clone(), Path::new(":memory:"));
    for line in String::from_utf8_lossy(bytes).lines().take(20) {
        let Some((name, request)) = line.split_once(' ') else { continue };
        let is_left_out = FILE_COMMANDS.iter().any(|start| name.starts_with(start));
        if is_left_out || !COMMANDS.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        if let Ok(request) = serde_json::from_str(request)
            && let Err(why) = app.run_command(name, request, None)
        {
            check_message(&why.message);
        }
    }
    assert_eq!(core.integrity().expect("checked"), "ok");
}
