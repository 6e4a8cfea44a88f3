//! `cargo xtask features`: checks that programs built alone have the same features of their dependencies as in the
//! tests.
//!
//!
//! `make test` compiles the whole workspace at once, and cargo then enables every feature that any package asks for.
//! One of our crates could depend on a feature that is missing when `make run` or `make serve` builds a program alone.
//! If the features of all dependencies are the same, one build proves both.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::Command;

/// The packages and features that `make test` builds.
const TESTED: &[&str] = &[
    "--workspace",
    "--features",
    "xtask/codegen,roost-desktop/custom-protocol",
    "--edges",
    "normal,dev,no-proc-macro",
];

/// The packages and features that `make run` and `make serve` build.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("make run", &["--package", "roost-desktop", "--features", "custom-protocol", "--edges", "normal,no-proc-macro"]),
    ("make serve", &["--package", "roost-cli", "--edges", "normal,no-proc-macro"]),
];

/// Features that only tests request. `tidy` checks that other code does not use them.
const TESTS_ALONE: &[(&str, &str)] = &[("tokio", "test-util")];

/// The features of each crate, by name and version.
type Features = BTreeMap<String, BTreeSet<BTreeSet<String>>>;

/// Prints every difference and returns whether there is none.
pub(crate) fn run(root: &Path) -> bool {
    match check(root) {
        Ok(differences) => {
            for difference in &differences {
                eprintln!("refused: {difference}");
            }
            eprintln!("features: {} programs compared, {} differences", PROGRAMS.len(), differences.len());
            differences.is_empty()
        }
        Err(why) => {
            eprintln!("cargo xtask features: {why}");
            false
        }
    }
}

fn check(root: &Path) -> Result<Vec<String>, String> {
    let direct: BTreeSet<String> =
        parse_tree(&cargo_tree(root, TESTED, &["--depth", "1"])?).into_keys().map(|name| first_word(&name)).collect();
    let tested = parse_tree(&cargo_tree(root, TESTED, &[])?);
    let mut differences = Vec::new();
    for (program, selection) in PROGRAMS {
        let alone = parse_tree(&cargo_tree(root, selection, &[])?);
        if alone.is_empty() {
            return Err(format!("cargo tree lists no crate for `{program}`"));
        }
        differences.extend(compare_features(program, &direct, &alone, &tested));
    }
    Ok(differences)
}

fn cargo_tree(root: &Path, selection: &[&str], more: &[&str]) -> Result<String, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p}|{f}"])
        .args(selection)
        .args(more)
        .output()
        .map_err(|why| format!("cannot start cargo: {why}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|why| format!("cargo tree printed something unexpected: {why}"))
}

/// Parses lines such as `serde v1.0.229 (proc-macro)|default,derive`. Crates of the workspace have a path and are
/// omitted, because the features they are compiled with are the subject of the comparison.
fn parse_tree(text: &str) -> Features {
    let mut features = Features::new();
    for (name, list) in text.lines().filter_map(|line| line.split_once('|')) {
        if name.contains("(/") {
            continue;
        }
        let name = name.replace(" (proc-macro)", "");
        let set = list.split(',').map(str::trim).filter(|feature| !feature.is_empty()).map(str::to_owned).collect();
        features.entry(name).or_default().insert(set);
    }
    features
}

fn first_word(text: &str) -> String {
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Returns the direct dependencies that a program alone has with other features than the tests have.
fn compare_features(program: &str, direct: &BTreeSet<String>, alone: &Features, tested: &Features) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, sets) in alone.iter().filter(|(name, _)| direct.contains(&first_word(name))) {
        let tested_sets: BTreeSet<BTreeSet<String>> = tested
            .get(name)
            .into_iter()
            .flatten()
            .map(|set| {
                let is_for_tests =
                    |feature: &String| TESTS_ALONE.contains(&(first_word(name).as_str(), feature.as_str()));
                set.iter().filter(|feature| !is_for_tests(feature)).cloned().collect()
            })
            .collect();
        for set in sets.difference(&tested_sets) {
            let tested = tested_sets.iter().map(join_features).collect::<Vec<_>>().join(" or ");
            differences.push(format!(
                "{name}: `{program}` builds it with the features {}, the tests with {tested}. Name the missing ones in \
                 [workspace.dependencies], so that both are the same",
                join_features(set)
            ));
        }
    }
    differences
}

fn join_features(features: &BTreeSet<String>) -> String {
    features.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(alone: &str, tested: &str) -> Vec<String> {
        let direct = ["serde", "tokio"].map(str::to_owned).into();
        compare_features("make run", &direct, &parse_tree(alone), &parse_tree(tested))
    }

    #[test]
    fn the_same_features_are_no_difference() {
        let tree = "serde v1.0.229|default,derive\nours v0.1.0 (/here)|ts\nserde v1.0.229|default";
        assert_eq!(differences("serde v1.0.229|default,derive", tree), [""; 0]);
    }

    #[test]
    fn a_feature_that_only_the_tests_bring_along_is_a_difference() {
        let found = differences("serde v1.0.229|default", "serde v1.0.229|default,rc");
        assert!(
            found.len() == 1 && found[0].contains("with the features default, the tests with default,rc"),
            "{found:?}"
        );
    }

    #[test]
    fn a_feature_for_tests_alone_is_no_difference() {
        assert_eq!(differences("tokio v1.54.1|net", "tokio v1.54.1|net,test-util"), [""; 0]);
    }

    #[test]
    fn what_no_crate_of_ours_names_is_not_compared() {
        assert_eq!(differences("chacha20 v0.10.2|cipher", "chacha20 v0.10.2|cipher,rng"), [""; 0]);
    }
}
