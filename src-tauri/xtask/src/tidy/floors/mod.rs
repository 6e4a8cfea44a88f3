//! Checks that dependencies only go down, and that each heavy dependency has one home.

pub(super) mod inner;

use std::collections::BTreeMap;

use super::Finding;
use super::tree::{SourceFile, SourceTree};

struct CrateRoom {
    /// The folder under `src-tauri`. The top folder belongs to the window.
    name: &'static str,
    package: &'static str,
    /// The rooms that it may depend on, besides `model`, which is open to all.
    below: &'static [&'static str],
}

/// The floor plan, from the top down. `tests` and `xtask` are outside it and may use everything but the window.
const ROOMS: &[CrateRoom] = &[
    CrateRoom { name: "the window", package: "roost-desktop", below: &["roost-app"] },
    CrateRoom {
        name: "cli",
        package: "roost-cli",
        below: &[
            "roost-app",
            "roost-emulator",
            "roost-sync",
            "roost-sync-session",
            "roost-imports",
            "roost-exports",
            "roost-ops",
            "roost-samples",
            "roost-spelling",
        ],
    },
    CrateRoom {
        name: "app",
        package: "roost-app",
        below: &[
            "roost-emulator",
            "roost-sync",
            "roost-sync-session",
            "roost-grid",
            "roost-imports",
            "roost-exports",
            "roost-samples",
            "roost-ops",
        ],
    },
    CrateRoom {
        name: "emulator",
        package: "roost-emulator",
        below: &["roost-journal", "roost-ops", "roost-wire", "roost-outbound"],
    },
    CrateRoom { name: "journal", package: "roost-journal", below: &["roost-ops", "roost-wire"] },
    CrateRoom {
        name: "sync",
        package: "roost-sync",
        below: &["roost-grid", "roost-ops", "roost-store", "roost-wire", "roost-outbound", "roost-reconcile"],
    },
    CrateRoom {
        name: "sync session",
        package: "roost-sync-session",
        below: &["roost-sync", "roost-ops", "roost-store", "roost-wire", "roost-outbound", "roost-reconcile"],
    },
    CrateRoom {
        name: "grid",
        package: "roost-grid",
        below: &["roost-exports", "roost-ops", "roost-store", "roost-spelling"],
    },
    CrateRoom {
        name: "imports",
        package: "roost-imports",
        below: &["roost-exports", "roost-ops", "roost-store", "roost-sheets", "roost-spelling"],
    },
    CrateRoom { name: "exports", package: "roost-exports", below: &["roost-ops", "roost-store", "roost-sheets"] },
    CrateRoom { name: "samples", package: "roost-samples", below: &["roost-ops", "roost-store"] },
    CrateRoom { name: "ops", package: "roost-ops", below: &["roost-store", "roost-reconcile", "roost-spelling"] },
    CrateRoom { name: "store", package: "roost-store", below: &[] },
    CrateRoom { name: "sheets", package: "roost-sheets", below: &["roost-spelling"] },
    CrateRoom { name: "spelling", package: "roost-spelling", below: &[] },
    CrateRoom { name: "wire", package: "roost-wire", below: &[] },
    CrateRoom { name: "outbound", package: "roost-outbound", below: &[] },
    CrateRoom { name: "reconcile", package: "roost-reconcile", below: &[] },
    CrateRoom { name: "model", package: "roost-model", below: &[] },
];

/// Each heavy dependency with the package that may name it. A `*` at the end stands for any rest of the name.
const HOMES: &[(&str, &str)] = &[
    ("tauri", "roost-desktop"),
    ("tauri-*", "roost-desktop"),
    ("axum", "roost-emulator"),
    ("reqwest", "roost-outbound"),
    ("rusqlite", "roost-store"),
    ("refinery", "roost-store"),
    ("clap", "roost-cli"),
    ("clap_*", "roost-cli"),
    ("keyring", "roost-sync"),
    ("rlibphonenumber", "roost-model"),
    ("zip", "roost-sheets"),
    ("quick-xml", "roost-sheets"),
    ("encoding_rs", "roost-sheets"),
];

/// The tests' package drives and measures other programs, so it may name what it needs. The chores read the command
/// list.
const BESIDE_THE_HOUSE: &[&str] = &["roost-tests", "roost-fuzz", "roost-world", "xtask"];
/// The model of the outside world depends on none of our crates, and only tests depend on it.
const WORLD: &str = "roost-world";
const FREE_TO_USE_HEAVY: &str = "roost-tests";

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    tree.files.iter().filter(|file| file.name() == "Cargo.toml").flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let manifest: toml::Table = match file.text.parse() {
        Ok(manifest) => manifest,
        Err(why) => {
            return vec![Finding::error(&file.path, format!("invalid TOML: {why}"), "fix the manifest")];
        }
    };
    let Some(package) = value_text(&manifest, "package", "name") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let room = ROOMS.iter().find(|room| room.package == package);
    if room.is_none() && !BESIDE_THE_HOUSE.contains(&package) {
        found.push(Finding::error(
            &file.path,
            format!("the package {package} has no floor"),
            "give it one in src-tauri/xtask/src/tidy/floors/mod.rs and in src-tauri/ARCHITECTURE.md",
        ));
    }
    for (dependency, section) in read_dependencies(&manifest) {
        let of_ours = dependency.starts_with("roost-");
        match room {
            Some(_) if dependency == WORLD && section == "dev-dependencies" => {}
            Some(room) if of_ours && !may_depend_on(room, &dependency) => found.push(Finding::error(
                &file.path,
                format!("{} leans on {dependency} ({section}), which is not below it", room.name),
                describe_allowed(room),
            )),
            None if package == WORLD && of_ours => found.push(Finding::error(
                &file.path,
                format!("{WORLD} leans on {dependency} ({section})"),
                "the model is written from the contract alone",
            )),
            None if dependency == "roost-desktop" => found.push(Finding::error(
                &file.path,
                format!("{package} leans on the window ({section})"),
                "only the window's own package may need a webview; go through roost-app",
            )),
            _ => {}
        }
        if let Some(home) = folder_of_crate(&dependency)
            && home != package
            && package != FREE_TO_USE_HEAVY
        {
            found.push(Finding::error(
                &file.path,
                format!("{dependency} ({section}) has its home in {home}"),
                format!("ask {home} for what is needed, in words of the trade"),
            ));
        }
    }
    found
}

fn may_depend_on(room: &CrateRoom, dependency: &str) -> bool {
    (dependency == "roost-model" && room.package != "roost-model") || room.below.contains(&dependency)
}

fn describe_allowed(room: &CrateRoom) -> String {
    let below: Vec<&str> = std::iter::once("roost-model").chain(room.below.iter().copied()).collect();
    if room.package == "roost-model" {
        "the model leans on nothing of ours".to_owned()
    } else {
        format!(
            "{} may lean on {}; move the code down, or hand in what is needed from above",
            room.name,
            below.join(", ")
        )
    }
}

fn folder_of_crate(dependency: &str) -> Option<&'static str> {
    let same = |name: &str| match name.strip_suffix('*') {
        Some(start) => dependency.starts_with(start),
        None => dependency == name,
    };
    HOMES.iter().find(|(name, _)| same(name)).map(|(_, home)| *home)
}

fn value_text<'a>(manifest: &'a toml::Table, section: &str, key: &str) -> Option<&'a str> {
    manifest.get(section)?.get(key)?.as_str()
}

/// Returns every dependency by its real name with the section that names it, including those for single platforms.
fn read_dependencies(manifest: &toml::Table) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    collect_names(manifest, "", &mut all);
    let platforms = manifest.get("target").and_then(toml::Value::as_table);
    for (platform, sections) in platforms.into_iter().flatten() {
        if let Some(sections) = sections.as_table() {
            collect_names(sections, &format!("target.{platform}."), &mut all);
        }
    }
    all
}

fn collect_names(sections: &toml::Table, prefix: &str, all: &mut BTreeMap<String, String>) {
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let entries = sections.get(section).and_then(toml::Value::as_table);
        for (name, value) in entries.into_iter().flatten() {
            let real = value.get("package").and_then(toml::Value::as_str).unwrap_or(name);
            all.insert(real.to_owned(), format!("{prefix}{section}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    fn sample_manifest(package: &str, rest: &str) -> String {
        format!("[package]\nname = \"{package}\"\n{rest}")
    }

    fn findings_of(package: &str, rest: &str) -> Vec<String> {
        messages(check, &[("a/Cargo.toml", &sample_manifest(package, rest))])
    }

    #[test]
    fn an_arrow_up_is_refused_in_every_section() {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            assert_eq!(
                findings_of(
                    "roost-store",
                    &format!("[{section}]\nroost-model.workspace = true\nroost-ops.workspace = true\n")
                ),
                [format!("a/Cargo.toml: store leans on roost-ops ({section}), which is not below it")]
            );
        }
    }

    #[test]
    fn the_window_may_depend_only_on_the_app_and_no_room_on_itself() {
        assert_eq!(
            findings_of("roost-desktop", "[dependencies]\nroost-ops.workspace = true\n"),
            ["a/Cargo.toml: the window leans on roost-ops (dependencies), which is not below it"]
        );
        assert_eq!(findings_of("roost-model", "[dependencies]\nroost-model.workspace = true\n").len(), 1);
    }

    #[test]
    fn a_second_home_is_refused_also_for_one_platform_and_under_another_name() {
        assert_eq!(
            findings_of("roost-ops", "[dependencies]\nrusqlite = \"1\"\n"),
            ["a/Cargo.toml: rusqlite (dependencies) has its home in roost-store"]
        );
        assert_eq!(
            findings_of(
                "roost-cli",
                "[target.'cfg(unix)'.dependencies]\nweb = { package = \"axum\", version = \"0\" }\n"
            ),
            ["a/Cargo.toml: axum (target.cfg(unix).dependencies) has its home in roost-emulator"]
        );
        assert_eq!(
            findings_of("roost-app", "[build-dependencies]\ntauri-build = \"2\"\n"),
            ["a/Cargo.toml: tauri-build (build-dependencies) has its home in roost-desktop"]
        );
    }

    #[test]
    fn the_tests_package_is_free_but_for_the_window() {
        assert!(
            findings_of(
                "roost-tests",
                "[dependencies]\nroost-store.workspace = true\naxum = \"0\"\nrusqlite = \"0\"\n"
            )
            .is_empty()
        );
        assert_eq!(
            findings_of("roost-tests", "[dependencies]\nroost-desktop = { path = \".\" }\n"),
            ["a/Cargo.toml: roost-tests leans on the window (dependencies)"]
        );
    }

    #[test]
    fn a_room_without_a_floor_is_refused() {
        assert_eq!(findings_of("roost-attic", ""), ["a/Cargo.toml: the package roost-attic has no floor"]);
    }

    #[test]
    fn the_home_of_a_dependency_may_depend_on_it() {
        for (dependency, home) in HOMES {
            let dependency = dependency.replace('*', "build");
            assert!(
                findings_of(home, &format!("[dependencies]\n{dependency} = \"1\"\n")).is_empty(),
                "{dependency} in {home}"
            );
        }
    }
}
