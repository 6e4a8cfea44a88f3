//! What the report says about telephone numbers.

use std::fs;

use serde_json::json;

use super::{ImportFolder, parse_output};

fn write_people(place: &ImportFolder, text: &str) {
    fs::write(place.file_path("people.csv"), text).expect("a file");
}

/// Proves: S0_program.
#[test]
fn a_new_number_of_someone_who_opted_out_is_named() {
    let place = ImportFolder::new();
    write_people(&place, "Mobile,Stop\n07700900001,yes\n07700900002,yes\n");
    let output = place.run_import(&["--list", "May", "--opt-out-column", "Stop=yes", "--opt-outs", "4"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    write_people(&place, "Mobile,WhatsApp\n07700900001,07700900011\n");
    let stdout = String::from_utf8(place.run_import(&["--list", "May"]).stdout).expect("text");
    assert!(stdout.contains("1  new number of people who opted out on another number: +447700900011\n"), "{stdout}");
    write_people(&place, "Mobile,WhatsApp\n07700900002,07700900012\n");
    let answer = parse_output(&place.run_import(&["--list", "May", "--json"]));
    let lost =
        json!([{ "opted_out": "+447700900002", "number": "+447700900012", "channel": "WHATSAPP", "asset": null }]);
    assert_eq!(answer["lost_opt_outs"], lost, "{answer}");
}

/// Proves: S0_program.
#[test]
fn further_numbers_of_a_cell_are_in_the_sum() {
    let place = ImportFolder::new();
    write_people(&place, "Mobile\n07700900001 / 07700900002\n07700900003\n");
    let stdout = String::from_utf8(place.run_import(&["--list", "May", "--ignore-rest"]).stdout).expect("text");
    assert!(stdout.ends_with("\n1 further number in imported cells not imported\n"), "{stdout}");
}
