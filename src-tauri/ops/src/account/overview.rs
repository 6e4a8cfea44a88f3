//! Summarizes the account: how many records it holds, what was added recently, and what waits for a person.

use roost_model::{error::FieldError, time::Timestamp};
use roost_store::tables::counts::{self, recent};
use serde::Serialize;

pub use roost_store::tables::counts::{
    AccountCounts,
    recent::{JobResults, ListDrafts},
};

use crate::{core::Core, error::Result};

/// The number of days in a leap year.
pub const DAYS_MAX: usize = 366;
/// The maximum number of lists with drafts that are returned by name.
const LISTS_NAMED: u32 = 3;

pub fn get(core: &Core) -> Result<AccountCounts> {
    core.read(|tx| Ok(counts::get(tx)?))
}

/// Recent additions and pending work, all read from one state of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RecentActivity {
    /// The opt-outs recorded on each day that are still in force.
    pub opt_outs: Vec<u64>,
    pub clicks: Vec<u64>,
    /// The results of jobs that ended yesterday or today.
    pub jobs: JobResults,
    /// The lists with the most drafts.
    pub drafts: Vec<ListDrafts>,
    pub rejected_rows: u64,
}

/// Reads recent activity. `days` holds the times at which days begin in the person's time zone, in ascending order. The
/// last day has not ended.
pub fn read_recent(core: &Core, days: &[Timestamp]) -> Result<RecentActivity> {
    if days.is_empty() || days.len() > DAYS_MAX {
        return Err(FieldError::new("days", format!("must have between 1 and {DAYS_MAX} entries"), days.len()).into());
    }
    if let Some(at) = days.windows(2).position(|two| two[0] >= two[1]) {
        let path = format!("days[{}]", at + 1);
        return Err(FieldError::new(path, "must be later than the day before", days[at + 1].to_iso()).into());
    }
    let by_day = |times: Vec<i64>| {
        let mut counts = vec![0; days.len()];
        for time in times {
            let begun = days.partition_point(|day| day.unix() <= time);
            if let Some(count) = begun.checked_sub(1).and_then(|day| counts.get_mut(day)) {
                *count += 1;
            }
        }
        counts
    };
    let yesterday = days[days.len().saturating_sub(2)];
    core.read(|tx| {
        Ok(RecentActivity {
            opt_outs: by_day(recent::opt_out_times(tx, days[0])?),
            clicks: by_day(recent::click_times(tx, days[0])?),
            jobs: recent::job_results(tx, yesterday)?,
            drafts: recent::lists_with_drafts(tx, LISTS_NAMED)?,
            rejected_rows: recent::count_rejects(tx)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use roost_model::{
        channel::Channel,
        contact::{ContactDraft, MergeType},
        id::{ContactId, ListId},
        phone::Region,
        short_link::LinkParts,
    };
    use roost_store::{
        change_log::{ChangeAction, ChangeLogEntry, Noun},
        tables::contacts::{grid::drafts, list_view},
    };

    use super::*;
    use crate::{
        Actor, Ctx, contact,
        contact::FieldValues,
        ctx::Clock,
        job::{self, NewJob},
        list, opt_out, short_link,
    };

    const DAY: i64 = 86_400;
    /// 2026-01-05T00:00:00Z
    const TODAY: i64 = 1_767_571_200;

    fn me() -> Actor {
        Actor::user(None)
    }

    fn days_until_today(count: i64) -> Vec<Timestamp> {
        (0..count).rev().map(|ago| Timestamp::from_unix(TODAY - ago * DAY)).collect()
    }

    fn new_list(core: &Core, name: &str) -> ListId {
        list::create(core, &me(), name, list::UniqueNames::Off).unwrap().uid
    }

    fn add(core: &Core, list: &ListId, number: &str) -> ContactId {
        let phone = ("phone_number".to_owned(), Some(number.to_owned()));
        contact::add(core, &me(), list, &FieldValues::from([phone]), None).unwrap().uid
    }

    #[test]
    fn new_records_are_counted_on_the_day_on_which_they_arrived() {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(TODAY - 3 * DAY)), 1);
        let core = Core::in_memory(ctx).unwrap();
        let parts = LinkParts {
            title: "Offer".to_owned(),
            target_url: "https://example.com/".to_owned(),
            tags: Vec::new(),
            track_clicks: true,
        };
        let link = short_link::create(&core, &me(), parts).unwrap();
        let list = new_list(&core, "Spring");
        let numbers = ["+447700900000", "+447700900001", "+447700900002", "+447700900003"];
        // One before the first day, one in its last second, and one each in the first second of today and later.
        for (at, number) in [-3 * DAY, -DAY - 1, 0, 7].into_iter().zip(numbers) {
            core.ctx().advance(TODAY + at - core.ctx().now().unix());
            opt_out::add_web_opt_out(&core, &me(), number, Channel::Sms).unwrap();
            let visit = short_link::LinkVisit::default();
            short_link::record_click(&core, &me(), &link.link_id, "http://127.0.0.1/", visit).unwrap();
            let draft = ContactDraft { phone_number: Some(Cow::Borrowed(number)), ..ContactDraft::default() };
            let new = NewJob {
                list: list.clone(),
                merge_type: MergeType::SkipDuplicates,
                callback_url: None,
                correlation_id: None,
                contacts: vec![draft.validate(Some(Region::gb())).unwrap()],
            };
            job::enqueue(&core, &Actor::interface(), new).unwrap();
            job::run_next(&core).unwrap();
        }
        let found = read_recent(&core, &days_until_today(3)).unwrap();
        assert_eq!((found.opt_outs, found.clicks), (vec![1, 0, 2], vec![1, 0, 2]));
        assert_eq!(found.jobs, JobResults { jobs: 2, written: 2, failed: 0 }, "of yesterday and today");
        assert_eq!(read_recent(&core, &days_until_today(1)).unwrap().opt_outs, [2]);
    }

    #[test]
    fn drafts_are_counted_by_list_the_most_first() {
        let core = Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(TODAY)), 1)).unwrap();
        for (name, contacts) in [("One", 1), ("None", 0), ("Two", 2)] {
            let list = new_list(&core, name);
            for number in 0..contacts {
                let uid = add(&core, &list, &format!("+44770090000{number}"));
                let kept: Result<()> = core.write(&me(), |tx| {
                    let row = list_view::row_of(tx, &uid)?.unwrap();
                    drafts::set_draft(tx, row, "phone_number", Some("0770"))?;
                    drafts::set_draft(tx, row, "email_address", Some("@"))?;
                    tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Updated, &list));
                    Ok(())
                });
                kept.unwrap();
            }
        }
        let found = read_recent(&core, &days_until_today(2)).unwrap();
        let drafts: Vec<_> = found.drafts.iter().map(|draft| (draft.name.as_str(), draft.contacts)).collect();
        assert_eq!(drafts, [("Two", 2), ("One", 1)]);
        assert_eq!((found.rejected_rows, found.jobs), (0, JobResults::default()));
    }

    #[test]
    fn no_days_too_many_days_and_unordered_days_are_refused_with_their_path() {
        let core = Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(TODAY)), 1)).unwrap();
        for (given, path) in [
            (Vec::new(), "days"),
            (vec![Timestamp::from_unix(0); 367], "days"),
            (vec![Timestamp::from_unix(5), Timestamp::from_unix(6), Timestamp::from_unix(6)], "days[2]"),
        ] {
            let crate::Error::Invalid { faults } = read_recent(&core, &given).unwrap_err() else { panic!("{path}") };
            assert_eq!(faults[0].path, path);
        }
    }
}
