//! Commands on the open account and on the list of known accounts.

pub(super) mod copies;
pub(super) mod held;
pub(super) mod rescue;

use std::path::{Path, PathBuf};

use roost_model::{
    error::{ErrorCode, FieldError},
    time::Timestamp,
};
use roost_ops::{
    Actor, Core,
    account::{self, AccountColour, Country, CountryBy},
    contact::PASTE_MAX,
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{AccountContents, App, ListedAccount, display_name},
    commands::{Done, Nothing},
    error::CommandError,
    reading::check_count,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountCreate {
    pub name: String,
    pub colour: AccountColour,
    /// The country of numbers without a country code, as two letters such as GB. Null leaves it unset.
    pub country: Option<String>,
    pub contents: AccountContents,
}

/// A path that account_list or account_pick returned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountPath {
    pub path: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountRename {
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountRecolour {
    pub colour: AccountColour,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountSetCountry {
    /// Two letters, such as GB.
    pub country: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountCountryGet {
    /// Numbers that were pasted together, with and without a country code. At most 10,000. If there are none, the response
    /// is the country of the account.
    pub numbers: Vec<String>,
}

/// The country of numbers without a country code.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountCountry {
    /// Two letters, such as GB.
    pub code: String,
    pub by: CountryBy,
}

impl From<Country> for AccountCountry {
    fn from(Country { region, by }: Country) -> Self {
        Self { code: region.code(), by }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountDuplicate {
    pub path: String,
    pub name: String,
}

/// The open account.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct Account {
    pub name: String,
    pub colour: AccountColour,
    pub path: String,
    /// The file name without its folder.
    pub file: String,
    pub country: AccountCountry,
    pub schema_version: i32,
    /// Differs each time an account is opened. A page that knows another one starts again.
    pub opening: u64,
}

/// An account file on the list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct KnownAccount {
    pub path: String,
    /// The file name without its folder.
    pub file: String,
    pub name: String,
    pub colour: AccountColour,
    pub last_opened: Option<Timestamp>,
    pub state: AccountState,
    /// Whether the file is in the data folder.
    pub in_folder: bool,
}

/// The state of one account on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) enum AccountState {
    Open,
    Closed,
    /// The file is no longer where it was.
    Missing,
}

/// Whether an account is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) enum AccountStatus {
    Open,
    /// No account is open, on the first run or after closing one.
    None,
    /// The account that should be open could not be opened. `fault` has the reason.
    Failed,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountListAnswer {
    pub status: AccountStatus,
    pub current: Option<Account>,
    pub fault: Option<CommandError>,
    /// The account file that the fault is about, if it is about one.
    pub fault_path: Option<String>,
    /// The most recently opened first.
    pub accounts: Vec<KnownAccount>,
    /// The folder where new accounts are created.
    pub folder: Option<String>,
    /// Whether accounts can be created, opened and closed here.
    pub can_switch: bool,
    /// The country that the computer is set to, if it is known.
    pub computer_country: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct AccountPicked {
    /// Null if the user cancelled the dialog.
    pub path: Option<String>,
}

impl Account {
    pub(super) fn from_app(app: &App) -> Result<Self, CommandError> {
        let core = app.core()?;
        let path = app.open_path().ok_or_else(CommandError::no_account)?;
        let face = account::read_profile(&core)?;
        let name = display_name(&face, &path);
        app.record_face(&path, &name, face.colour);
        Ok(Self {
            name,
            colour: face.colour,
            file: file_name(&path),
            path: required_text(&path),
            country: account::read_country(&core)?.into(),
            schema_version: Core::schema_version(),
            opening: app.opening(),
        })
    }
}

impl KnownAccount {
    fn from_listed(app: &App, known: ListedAccount) -> Self {
        let ListedAccount { path, name, colour, last_opened } = known;
        let state = match app.open_path() {
            Some(open) if open == path => AccountState::Open,
            _ if path.exists() => AccountState::Closed,
            _ => AccountState::Missing,
        };
        Self {
            file: file_name(&path),
            in_folder: app.is_own(&path),
            path: required_text(&path),
            name,
            colour,
            last_opened: last_opened.map(Timestamp::from_unix),
            state,
        }
    }
}

fn required_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn invalid(fault: FieldError) -> CommandError {
    CommandError::invalid(vec![fault])
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(super) fn list(app: &App, _: &Actor, _: Nothing) -> Result<AccountListAnswer, CommandError> {
    // The open account comes first, because reading it updates the list.
    let current = if app.open_path().is_some() { Some(Account::from_app(app)?) } else { None };
    let fault = app.opening_error();
    let status = match (&current, &fault) {
        (Some(_), _) => AccountStatus::Open,
        (None, Some(_)) => AccountStatus::Failed,
        (None, None) => AccountStatus::None,
    };
    let (known, folder) = app.known_accounts();
    let accounts = known.into_iter().map(|known| KnownAccount::from_listed(app, known)).collect();
    Ok(AccountListAnswer {
        status,
        current,
        fault,
        fault_path: app.failed_path().as_deref().map(required_text),
        accounts,
        folder: folder.map(required_text),
        can_switch: app.can_switch(),
        computer_country: app.detect_country(),
    })
}

pub(super) fn create(app: &App, by: &Actor, request: AccountCreate) -> Result<Account, CommandError> {
    let country = request.country.as_deref().map(account::parse_country).transpose().map_err(invalid)?;
    app.create_account(by, &request.name, request.colour, country, request.contents)?;
    Account::from_app(app)
}

pub(super) fn open(app: &App, by: &Actor, request: AccountPath) -> Result<Account, CommandError> {
    app.open_account(by, Path::new(&request.path))?;
    Account::from_app(app)
}

pub(super) fn retry(app: &App, by: &Actor, _: Nothing) -> Result<Account, CommandError> {
    app.retry(by)?;
    Account::from_app(app)
}

pub(super) fn close(app: &App, by: &Actor, _: Nothing) -> Result<Done, CommandError> {
    app.close_account(by)?;
    Ok(Done {})
}

pub(super) fn rename(app: &App, by: &Actor, request: AccountRename) -> Result<Account, CommandError> {
    account::rename(&app.core()?, by, &request.name)?;
    Account::from_app(app)
}

pub(super) fn recolour(app: &App, by: &Actor, request: AccountRecolour) -> Result<Account, CommandError> {
    account::recolour(&app.core()?, by, request.colour)?;
    Account::from_app(app)
}

pub(super) fn set_country(app: &App, by: &Actor, request: AccountSetCountry) -> Result<Account, CommandError> {
    let country = account::parse_country(&request.country).map_err(invalid)?;
    account::set_country(&app.core()?, by, country)?;
    Account::from_app(app)
}

pub(super) fn country(app: &App, _: &Actor, request: AccountCountryGet) -> Result<AccountCountry, CommandError> {
    check_count("numbers", request.numbers.len(), PASTE_MAX)?;
    Ok(account::infer_country(&app.core()?, &request.numbers)?.into())
}

pub(super) fn duplicate(app: &App, _: &Actor, request: AccountDuplicate) -> Result<KnownAccount, CommandError> {
    let copy = app.duplicate_account(Path::new(&request.path), &request.name)?;
    Ok(KnownAccount::from_listed(app, copy))
}

pub(super) fn forget(app: &App, _: &Actor, request: AccountPath) -> Result<Done, CommandError> {
    app.forget_account(Path::new(&request.path))?;
    Ok(Done {})
}

/// Only a listed file is shown, because a page must not make the desktop open any folder that it names.
pub(super) fn reveal(app: &App, _: &Actor, request: AccountPath) -> Result<Done, CommandError> {
    let desktop = app.desktop()?;
    let path = PathBuf::from(request.path);
    if !app.known_accounts().0.iter().any(|known| known.path == path) {
        return Err(CommandError::new(ErrorCode::NotFound, "This account is not on the list."));
    }
    desktop.reveal(&path).map_err(|why| CommandError::desktop(&why))?;
    Ok(Done {})
}

pub(super) fn pick(app: &App, _: &Actor, _: Nothing) -> Result<AccountPicked, CommandError> {
    let path = app.desktop()?.choose_account(app.known_accounts().1);
    Ok(AccountPicked { path: path.as_deref().map(required_text) })
}
