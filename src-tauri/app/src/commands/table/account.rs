//! The commands on the accounts of this computer.

use crate::commands::{
    Done, Nothing,
    account::{self, copies, held, rescue},
    desktop,
};

commands! {
    /// Returns the open account and every other account on the list.
    read account_list(Nothing) -> account::AccountListAnswer = account::list;
    /// Creates an account, empty or with sample data, and opens it.
    read account_create(account::AccountCreate) -> account::Account = account::create;
    /// Opens an account file in place of the open account.
    read account_open(account::AccountPath) -> account::Account = account::open;
    /// Tries again to open the account that could not be opened.
    read account_retry(Nothing) -> account::Account = account::retry;
    /// Returns what is wrong with an account file that cannot be used, and its sound copies.
    read account_way_back(account::AccountPath) -> rescue::AccountWayBack = rescue::find_way_back;
    /// Puts a copy in the place of an account file that cannot be used, and opens it. A damaged file is kept.
    read account_restore(rescue::AccountRestore) -> account::Account = rescue::restore;
    /// Sets a damaged account file aside and opens an empty account.
    read account_start_empty(account::AccountPath) -> account::Account = rescue::start_empty;
    /// Closes the account. No account is open after that.
    read account_close(Nothing) -> Done = account::close;
    /// Renames the open account. Its file keeps its name.
    read account_rename(account::AccountRename) -> account::Account = account::rename;
    /// Changes the colour of the open account.
    read account_recolour(account::AccountRecolour) -> account::Account = account::recolour;
    /// Sets the country of the open account. Numbers without a country code are read as numbers of that country.
    write account_set_country(account::AccountSetCountry) -> account::Account = account::set_country;
    /// Returns the country of numbers without a country code.
    read account_country(account::AccountCountryGet) -> account::AccountCountry = account::country;
    /// Copies an account and all its data under a new name. The copy is not opened.
    read account_duplicate(account::AccountDuplicate) -> account::KnownAccount = account::duplicate;
    /// Removes an account from the list. Its file stays.
    read account_forget(account::AccountPath) -> Done = account::forget;
    /// Shows an account's file in the file manager.
    read account_reveal(account::AccountPath) -> Done = account::reveal;
    /// Opens a dialog in which the user chooses an account file.
    read account_pick(Nothing) -> account::AccountPicked = account::pick;
    /// Returns the backups and safety copies of the open account.
    read account_copies(Nothing) -> copies::AccountCopies = copies::list;
    /// Makes a backup of the open account beside it.
    read account_back_up(Nothing) -> copies::AccountCopyMade = copies::back_up;
    /// Saves a copy of the open account where the user chooses.
    read account_save_copy(Nothing) -> desktop::FileSaved = copies::save;
    /// Checks the file of the open account for damage.
    read account_check(Nothing) -> copies::AccountCheck = copies::check;
    /// Returns how a copy differs from the open account.
    read account_restore_preview(copies::AccountCopyPath) -> copies::AccountRestorePreview = copies::restore_preview;
    /// Replaces the open account by a copy. What was there is kept as another copy.
    read account_restore_copy(copies::AccountCopyRestore) -> account::Account = copies::restore;
    /// Returns what the open account and the files beside it hold about a phone number.
    read account_held(held::HeldGet) -> held::HeldAnswer = held::get;
    /// Returns what would be erased about a phone number, and what stands in the way.
    read account_erase_preview(held::HeldGet) -> held::ErasurePreview = held::erase_preview;
    /// Erases everything about a phone number except for its opt-outs. Nothing brings it back.
    read account_erase(held::ErasureRun) -> account::Account = held::erase;
}
