//! Finds the list that a person means by a name or a uid.

use roost_model::{id::ListId, list::List};
use roost_store::{change_log::Noun, tables::lists};

use crate::{
    core::Core,
    error::{Error, OrNotFound, Result},
};

/// Returns the list with this name or uid. Several lists of the same name are an error that asks for the uid.
pub fn find_list(core: &Core, text: &str) -> Result<List> {
    find_list_if_any(core, text)?.or_not_found(Noun::List, format!("“{}”", text.trim()))
}

/// Returns the list with this name or uid, or `None` if no list has the name. An unknown uid is an error.
pub fn find_list_if_any(core: &Core, text: &str) -> Result<Option<List>> {
    let wanted = text.trim();
    core.read(|tx| {
        if let Ok(uid) = ListId::parse(wanted) {
            return lists::get(tx, &uid)?.or_not_found(Noun::List, uid).map(Some);
        }
        let mut found: Vec<List> = lists::read_all(tx)?.into_iter().filter(|list| list.name.trim() == wanted).collect();
        match (found.pop(), found.len()) {
            (Some(list), more @ 1..) => Err(Error::conflict(format!(
                "{} lists are called “{wanted}”. Give the uid of one, such as {}.",
                more + 1,
                list.uid
            ))),
            (list, _) => Ok(list),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Actor, Ctx, list};

    #[test]
    fn a_list_is_known_by_name_and_by_uid() {
        let core = Core::in_memory(Ctx::system()).unwrap();
        let make = |name| list::create(&core, &Actor::user(None), name, list::UniqueNames::Off).unwrap().uid;
        let (spring, twice, _) = (make("Spring"), make("Twice"), make("Twice"));
        let found = |text: &str| find_list(&core, text).map(|list| list.uid).map_err(|why| why.to_string());
        assert_eq!((found(" Spring "), found(spring.as_str())), (Ok(spring.clone()), Ok(spring)));
        assert_eq!(found("Summer").unwrap_err(), "There is no list “Summer”.");
        assert!(found("Twice").unwrap_err().starts_with("2 lists are called “Twice”. Give the uid"), "{twice}");
    }
}
