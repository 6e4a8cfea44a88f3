//! The addresses of the receivers of a world when its jobs were created. If the world was copied, imported or started
//! again, its callbacks go to its present receivers.

use std::{
    borrow::Cow,
    sync::{Mutex, MutexGuard, PoisonError},
};

use roost_outbound::localhost_label;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{HOOK_SEGMENT, is_hook_path};

/// The most homes that are remembered.
const HOMES_MAX: usize = 100;
/// The names by which every server is called on its own machine.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The addresses of a world's receivers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReceiverHome {
    /// The server's own address, then the public one.
    pub addresses: Vec<String>,
    /// Other names of the server.
    pub hosts: Vec<String>,
    pub world: String,
}

/// The homes in which the jobs of a world were created, each with the number of its last job, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ReceiverHomesState(Vec<(ReceiverHome, i64)>);

#[derive(Default)]
pub(crate) struct ReceiverHomes(Mutex<KnownHomes>);

#[derive(Default)]
struct KnownHomes {
    all: ReceiverHomesState,
    /// The generation of the account whose jobs they include.
    generation: Option<u64>,
    /// The homes of the image to which a reset returns.
    of_seed: ReceiverHomesState,
}

impl ReceiverHomes {
    fn lock_homes(&self) -> MutexGuard<'_, KnownHomes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the homes of all jobs; the newest jobs were created in `own`. `last_job` is called only for a new
    /// generation of the account.
    pub(crate) fn save(
        &self,
        own: ReceiverHome,
        generation: u64,
        last_job: impl FnOnce() -> i64,
    ) -> ReceiverHomesState {
        let mut homes = self.lock_homes();
        if homes.generation != Some(generation) {
            homes.generation = Some(generation);
            homes.all.add_jobs(own, last_job());
        }
        homes.all.clone()
    }

    pub(crate) fn load(&self, state: ReceiverHomesState) {
        let mut homes = self.lock_homes();
        (homes.all, homes.generation) = (state, None);
    }

    pub(crate) fn of_seed(&self) -> ReceiverHomesState {
        self.lock_homes().of_seed.clone()
    }

    pub(crate) fn set_of_seed(&self, state: ReceiverHomesState) {
        self.lock_homes().of_seed = state;
    }

    /// Returns the address to which the callback of a job goes: another one if `url` is a receiver of the world in a
    /// home other than `own`.
    pub(crate) fn current_address<'u>(&self, own: &ReceiverHome, job: i64, url: &'u str) -> Cow<'u, str> {
        let homes = self.lock_homes();
        let came_to = homes.all.0.iter().find(|(_, last)| job <= *last).filter(|(home, _)| home != own);
        came_to.and_then(|(home, _)| home.translate_to(own, url)).map_or(Cow::Borrowed(url), Cow::Owned)
    }
}

impl ReceiverHomesState {
    fn add_jobs(&mut self, own: ReceiverHome, last_job: i64) {
        match self.0.last_mut() {
            Some((_, last)) if *last >= last_job => {}
            Some((home, last)) if *home == own => *last = last_job,
            _ => self.0.push((own, last_job)),
        }
        self.0.drain(..self.0.len().saturating_sub(HOMES_MAX));
    }

    /// Counts all jobs up to this one to the newest home.
    pub(crate) fn extend_to(&mut self, last_job: i64) {
        if let Some((_, last)) = self.0.last_mut() {
            *last = last_job.max(*last);
        }
    }
}

impl ReceiverHome {
    /// Returns the address in `own` of the receiver that `url` names here, if it names one of this world.
    fn translate_to(&self, own: &Self, url: &str) -> Option<String> {
        let url = Url::parse(url).ok().filter(|url| is_hook_path(url.path()))?;
        let (host, port) = (url.host_str()?, url.port_or_known_default());
        let known: Vec<Url> = self.addresses.iter().filter_map(|address| Url::parse(address).ok()).collect();
        let is_own_name = LOOPBACK_NAMES.contains(&host)
            || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
            || known.iter().any(|address| address.host_str() == Some(host));
        let label = localhost_label(host).filter(|_| !is_own_name);
        if !known.iter().any(|address| address.port_or_known_default() == port) || !is_own_name && label.is_none() {
            return None;
        }
        let mut segments: Vec<&str> =
            url.path().split('/').filter(|segment| *segment != HOOK_SEGMENT).skip(1).collect();
        let name = segments.pop()?;
        let named = segments.pop();
        if ![label, named].iter().flatten().all(|world| **world == self.world) {
            return None;
        }
        let world = if label.or(named).is_some() { format!("/{}", own.world) } else { String::new() };
        let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
        Some(format!("{}/{HOOK_SEGMENT}{world}/{name}{query}", own.addresses.first()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_home(address: &str, world: &str) -> ReceiverHome {
        let addresses = vec![address.to_owned(), "https://ci.example".to_owned()];
        ReceiverHome { addresses, hosts: vec!["Roost".to_owned()], world: world.to_owned() }
    }

    #[test]
    fn a_receiver_of_an_earlier_home_is_found_again_in_every_form() {
        let (before, own) = (make_home("http://127.0.0.1:4010", "a"), make_home("http://127.0.0.1:5020", "b"));
        let moved = |url: &str| before.translate_to(&own, url);
        for url in [
            "http://127.0.0.1:4010/__hook/a/inbox",
            "http://localhost:4010/w/a/__hook/inbox",
            "http://[::1]:4010/__hook/a/inbox",
            "http://a.localhost:4010/__hook/inbox",
            "http://roost:4010/__hook/a/inbox",
            "https://ci.example/w/a/__hook/inbox",
        ] {
            assert_eq!(moved(url).as_deref(), Some("http://127.0.0.1:5020/__hook/b/inbox"), "{url}");
        }
        let plain = moved("http://localhost:4010/__hook/inbox?x=1");
        assert_eq!(plain.as_deref(), Some("http://127.0.0.1:5020/__hook/inbox?x=1"));
        for url in [
            "",
            "/__hook/a/inbox",
            "http://127.0.0.1:4011/__hook/a/inbox",
            "http://127.0.0.1:4010/__hook/c/inbox",
            "http://c.localhost:4010/__hook/a/inbox",
            "http://other.example:4010/__hook/a/inbox",
            "http://127.0.0.1:4010/contacts/v1/lists",
            "http://127.0.0.1:4010/hook",
        ] {
            assert_eq!(moved(url), None, "{url}");
        }
    }

    #[test]
    fn only_jobs_of_an_earlier_home_are_redirected() {
        let (first, own) = (make_home("http://127.0.0.1:4010", "a"), make_home("http://127.0.0.1:4010", "b"));
        let homes = ReceiverHomes::default();
        let state = homes.save(first, 0, || 3);
        let copy = ReceiverHomes::default();
        copy.load(state.clone());
        assert_eq!(copy.save(own.clone(), 0, || 3), state, "no job came since");
        assert_eq!(copy.save(own.clone(), 1, || 5).0.len(), 2);
        let url = "http://127.0.0.1:4010/__hook/a/inbox";
        let moved = "http://127.0.0.1:4010/__hook/b/inbox";
        for (job, want) in [(1, moved), (3, moved), (4, url), (5, url), (6, url)] {
            assert_eq!(copy.current_address(&own, job, url), want, "{job}");
        }
    }
}
