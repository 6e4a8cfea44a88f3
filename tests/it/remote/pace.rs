//! The client respects the limit of the service, measured by the journal of the emulator.

use std::sync::Arc;

use roost_emulator::Journal;
use roost_reconcile::pace::CallRate;
use roost_sync::remote::{Client, ServiceCall, ServiceClient};
use roost_tests::{Served, Setup};

use super::{KEY, client_of, client_settings, run_async};

fn start_limited(journal: &Journal) -> Served {
    let mut setup = Setup::new().set("limits", "on");
    setup.config.journal = journal.clone();
    setup.serve()
}

/// Returns the arrival times in milliseconds and the statuses of one operation's requests.
fn journal_times(journal: &Journal, operation: &str) -> Vec<(i64, u16)> {
    let found = journal.read_page(None, 1_000, |line| line.operation.as_deref() == Some(operation));
    let mut came: Vec<_> = found
        .lines
        .iter()
        .map(|line| (line.at.unix * 1_000 + i64::from(line.at.nanos / 1_000_000), line.status.expect("answered")))
        .collect();
    came.sort_unstable();
    came
}

fn busiest_second(came: &[(i64, u16)]) -> usize {
    let within = |at: usize| came[at..].iter().take_while(|(time, _)| *time < came[at].0 + 1_000).count();
    (0..came.len()).map(within).max().unwrap_or(0)
}

/// A slow machine delays requests that were sent in time, so that they arrive close together. This does not happen in
/// each of five attempts.
fn in_one_of_five(mut is_kept: impl FnMut() -> Result<(), String>) {
    let faults: Vec<String> = (0..5).map_while(|_| is_kept().err()).collect();
    assert!(faults.len() < 5, "{faults:#?}");
}

#[test]
fn no_second_sees_more_than_ten_however_many_wait() {
    for under_way in [1, 3] {
        in_one_of_five(|| {
            let journal = Journal::new_recording();
            let api = start_limited(&journal);
            run_async(async {
                let mut settings = client_settings(api.url());
                settings.rate = CallRate::new(10, under_way);
                let client = Client::new(Arc::new(ServiceClient::new(false)), settings);
                let call = |n: usize| {
                    let (client, call) = (&client, ServiceCall::create_list(&format!("List {n}")));
                    async move { client.wait_for_turn(call.lane).await.send(&call).await.expect("never throttled") }
                };
                futures_util::future::join_all((0..25).map(call)).await;
            });
            let came = journal_times(&journal, "lists.create");
            assert_eq!(came.len(), 25);
            assert!(came.iter().all(|(_, status)| *status == 200), "{came:?}");
            if busiest_second(&came) <= 10 { Ok(()) } else { Err(format!("{came:?}")) }
        });
    }
}

#[test]
fn the_client_waits_if_another_client_used_up_the_limit() {
    in_one_of_five(|| {
        let journal = Journal::new_recording();
        let api = start_limited(&journal);
        let other = api.with_key(KEY);
        for _ in 0..10 {
            other.get("/contacts/v1/lists/").expect(200);
        }
        run_async(async {
            let client = client_of(&api);
            let params = roost_sync::remote::ListsParams { name: None, page: super::PAGE };
            for _ in 0..3 {
                client.query_lists(&params).await.expect("in the end");
            }
        });
        let came = journal_times(&journal, "lists.query");
        let throttled = came.iter().filter(|(_, status)| *status == 429).count();
        assert!(throttled <= 2, "{came:?}");
        // The other client was slower than the bucket fills and left tokens in it.
        let Some(refused) = came.iter().position(|(_, status)| *status == 429) else { return Err(format!("{came:?}")) };
        assert!(came[refused + 1].0 >= came[refused].0 + 1_000, "as the service said: {came:?}");
        Ok(())
    });
}
