//! The accounts of this computer.

use crate::commands::account;

commands! {
    /// The open account, and every other that is known.
    account_list(account::AccountList) -> account::AccountListAnswer = account::list;
    /// Makes an account, empty or with sample data, and opens it.
    account_create(account::AccountCreate) -> account::Account = account::create;
    /// Opens an account file in the place of what is open.
    account_open(account::AccountPath) -> account::Account = account::open;
    /// Opens the account once more after what kept it closed was cured.
    account_retry(account::AccountRetry) -> account::Account = account::retry;
    /// Closes the account; nothing is open then.
    account_close(account::AccountClose) -> account::AccountDone = account::close;
    /// Gives the open account another name. Its file keeps its own.
    account_rename(account::AccountRename) -> account::Account = account::rename;
    /// Gives the open account another colour.
    account_recolour(account::AccountRecolour) -> account::Account = account::recolour;
    /// Chooses the country of the open account: numbers without a country code are read as numbers of it.
    account_set_country(account::AccountSetCountry) -> account::Account = account::set_country;
    /// The country that numbers without a country code are read in.
    account_country(account::AccountCountryGet) -> account::AccountCountry = account::country;
    /// Copies an account with everything in it under a new name. The copy is not opened.
    account_duplicate(account::AccountDuplicate) -> account::KnownAccount = account::duplicate;
    /// Takes an account off the list; its file stays.
    account_forget(account::AccountPath) -> account::AccountDone = account::forget;
    /// Shows an account's file in the file manager.
    account_reveal(account::AccountPath) -> account::AccountDone = account::reveal;
    /// Lets the person choose an account file by a dialog.
    account_pick(account::AccountPick) -> account::AccountPicked = account::pick;
}
