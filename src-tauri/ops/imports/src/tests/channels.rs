//! A row opts every number out of the chosen channels.

use super::*;

/// Returns the number and the channel of each opt-out, sorted.
fn list_opt_outs(world: &TestAccount) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let export = world.export_seed();
    let mut all: Vec<_> = export["opt_outs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(&one["number"]), text(&one["channel"])))
        .collect();
    all.sort();
    all
}

#[test]
fn an_opt_out_is_made_on_each_channel_whether_or_not_the_number_is_used_there() {
    for (channels, wanted) in [
        (vec![Channel::Sms], &["SMS"][..]),
        (vec![Channel::WhatsApp], &["WHATSAPP"]),
        (Channel::ALL.to_vec(), &["SMS", "WHATSAPP"]),
    ] {
        let world = TestAccount::new();
        let mut mapping = sample_mapping(OverwriteRule::IfBlank);
        mapping.consents[0].channels = channels;
        let file = SpooledFile::from_rows(&[
            ["07700900001", "", "", "", "stop"],
            ["", "07700900002", "", "", "stop"],
            ["07700900003", "07700900004", "", "", "stop"],
            ["07700900005", "07700900005", "", "", "stop"],
            ["07700900006", "nobody", "", "", "stop"],
            ["07700900007", "07700900007", "", "", ""],
        ]);
        let accepted = world.import_file(&file, &mapping);
        let numbers = (1..=6).map(|at| format!("+44770090000{at}"));
        let expected: Vec<_> =
            numbers.flat_map(|number| wanted.iter().map(move |on| (number.clone(), (*on).to_owned()))).collect();
        assert_eq!(list_opt_outs(&world), expected);
        assert_eq!(accepted.opt_outs, expected.len() as u64, "as many as the rehearsal showed");
    }
}
