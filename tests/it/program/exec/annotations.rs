//! `roost exec --annotations github`: reports failed checks where a build server shows them.

use std::process::Output;

use roost_tests::spawned::command;

use crate::program::command_output;

fn run_exec(args: &[&str], script: &str) -> Output {
    command_output(command([&["exec"], args, &["--", "sh", "-c", script]].concat()))
}

#[test]
fn what_does_not_hold_is_annotated() {
    let github = ["--annotations", "github"];
    for (script, want) in [
        ("exit 0", ""),
        ("printf unended; exit 7", "unended\n::error title=the command succeeds::the command ended with 7\n"),
    ] {
        let output = run_exec(&github, script);
        assert_eq!(String::from_utf8_lossy(&output.stdout), want, "{script}");
    }
    assert!(run_exec(&[], "exit 7").stdout.is_empty(), "only where it is asked for");
    let mut by_variable = command(["exec", "--", "sh", "-c", "exit 7"]);
    by_variable.env("ROOST_EXEC_ANNOTATIONS", "github");
    assert!(String::from_utf8_lossy(&command_output(by_variable).stdout).contains("::error "));
    assert!(String::from_utf8_lossy(&run_exec(&["--annotations", "gitlab"], "true").stderr).contains("github"));
}
