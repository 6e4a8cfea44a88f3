//! `cargo xtask dependencies`: checks licences, bans and sources by the rules in `.deny.toml`, from `cargo metadata`.
//!
//! cargo-deny, which `make audit` runs, checks the same rules and security advisories besides, but takes minutes to
//! compile. This chore refuses every setting in `.deny.toml` that it does not know, so that it is never less strict.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use spdx::{Expression, LicenseReq, Licensee, ParseMode};

const RULES_FILE: &str = ".deny.toml";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The part of `.deny.toml` that this chore checks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DenyRules {
    graph: GraphRules,
    licenses: LicenseRules,
    bans: BanRules,
    sources: SourceRules,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct GraphRules {
    targets: Vec<String>,
    all_features: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LicenseRules {
    allow: Vec<String>,
    /// Used by cargo-deny to recognize licences by their text. This chore refuses a crate that only has a text.
    #[serde(rename = "confidence-threshold")]
    _confidence_threshold: f64,
    private: PrivateRules,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrivateRules {
    ignore: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct BanRules {
    multiple_versions: LicensePermission,
    wildcards: LicensePermission,
    allow_wildcard_paths: bool,
    deny: Vec<BannedCrate>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct BannedCrate {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
    use_instead: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SourceRules {
    unknown_registry: LicensePermission,
    unknown_git: LicensePermission,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum LicensePermission {
    Allow,
    Deny,
}

/// The part of the output of `cargo metadata` that this chore reads.
#[derive(Debug, Deserialize)]
struct CargoMetadata {
    packages: Vec<CargoPackage>,
    resolve: CargoResolve,
}

#[derive(Debug, Deserialize)]
struct CargoResolve {
    nodes: Vec<CargoResolveNode>,
}

#[derive(Debug, Deserialize)]
struct CargoResolveNode {
    id: String,
}

#[derive(Debug, Clone, Deserialize)]
struct CargoPackage {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
    /// Empty for `publish = false`.
    publish: Option<Vec<String>>,
    dependencies: Vec<CargoRequirement>,
}

#[derive(Debug, Clone, Deserialize)]
struct CargoRequirement {
    name: String,
    req: String,
    path: Option<String>,
}

/// Prints every violation and returns whether there is none.
pub(crate) fn run(root: &Path) -> bool {
    match check(root) {
        Ok((count, violations)) => {
            for violation in &violations {
                eprintln!("refused: {violation}");
            }
            eprintln!("dependencies: {count} crates checked, {} refused", violations.len());
            violations.is_empty()
        }
        Err(why) => {
            eprintln!("cargo xtask dependencies: {why}");
            false
        }
    }
}

fn check(root: &Path) -> Result<(usize, Vec<String>), String> {
    let text = fs::read_to_string(root.join(RULES_FILE)).map_err(|why| format!("cannot read {RULES_FILE}: {why}"))?;
    let rules = parse_rules(&text)?;
    let mut packages: Vec<CargoPackage> = Vec::new();
    let mut known = BTreeSet::new();
    for target in &rules.graph.targets {
        let metadata = read_metadata(root, target, rules.graph.all_features)?;
        let used: BTreeSet<String> = metadata.resolve.nodes.into_iter().map(|node| node.id).collect();
        let new = metadata.packages.into_iter().filter(|package| used.contains(&package.id));
        packages.extend(new.filter(|package| known.insert(package.id.clone())));
    }
    if packages.is_empty() {
        return Err(format!("no target is named in {RULES_FILE}, so there is nothing to check"));
    }
    Ok((packages.len(), find_violations(&rules, &packages)?))
}

fn parse_rules(text: &str) -> Result<DenyRules, String> {
    let rules: DenyRules = toml::from_str(text)
        .map_err(|why| format!("{RULES_FILE} has a setting that this chore does not check; extend it: {why}"))?;
    let sources = [&rules.sources.unknown_registry, &rules.sources.unknown_git];
    if sources.contains(&&LicensePermission::Allow) || rules.bans.multiple_versions == LicensePermission::Deny {
        return Err(format!("{RULES_FILE} sets a permission that this chore does not implement; extend it"));
    }
    Ok(rules)
}

fn read_metadata(root: &Path, target: &str, all_features: bool) -> Result<CargoMetadata, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target]);
    if all_features {
        command.arg("--all-features");
    }
    let output = command.output().map_err(|why| format!("cannot start cargo: {why}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|why| format!("cargo metadata printed something unexpected: {why}"))
}

fn find_violations(rules: &DenyRules, packages: &[CargoPackage]) -> Result<Vec<String>, String> {
    let mut allowed = Vec::with_capacity(rules.licenses.allow.len());
    for license in &rules.licenses.allow {
        let licensee = Licensee::parse(license).map_err(|why| format!("{RULES_FILE}: licence \"{license}\": {why}"))?;
        allowed.push(licensee);
    }
    let is_allowed = |required: &LicenseReq| allowed.iter().any(|licensee| licensee.satisfies(required));
    let mut violations = Vec::new();
    for package in packages {
        let name = format!("{} {}", package.name, package.version);
        let is_private = rules.licenses.private.ignore && package.publish.as_ref().is_some_and(Vec::is_empty);
        if !is_private {
            violations.extend(check_license(&name, package.license.as_deref(), is_allowed));
        }
        violations.extend(check_source(&name, package.source.as_deref()));
        if let Some(banned) = rules.bans.deny.iter().find(|banned| banned.name == package.name) {
            violations.push(format!("{name} is banned: {}. Use {} instead", banned.reason, banned.use_instead));
        }
        if rules.bans.wildcards == LicensePermission::Deny {
            let wildcards = package.dependencies.iter().filter(|dependency| {
                dependency.req == "*" && !(rules.bans.allow_wildcard_paths && dependency.path.is_some())
            });
            violations.extend(wildcards.map(|dependency| {
                format!("{name} accepts any version of {}. Name the version in its Cargo.toml", dependency.name)
            }));
        }
    }
    Ok(violations)
}

fn check_license(name: &str, license: Option<&str>, is_allowed: impl Fn(&LicenseReq) -> bool) -> Option<String> {
    let Some(license) = license else {
        return Some(format!("{name} names no licence in its manifest. Use another crate"));
    };
    match Expression::parse_mode(license, ParseMode::LAX) {
        Ok(expression) if expression.evaluate(is_allowed) => None,
        Ok(_) => Some(format!("{name} is licensed as \"{license}\", which {RULES_FILE} does not allow")),
        Err(why) => Some(format!("{name} has the invalid licence expression \"{license}\": {}", why.reason)),
    }
}

/// Crates of the workspace have no source. Every other crate must be from crates.io.
fn check_source(name: &str, source: Option<&str>) -> Option<String> {
    let source = source.filter(|source| *source != CRATES_IO)?;
    Some(format!("{name} is from {source}. Use a version from crates.io"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed_rules() -> DenyRules {
        parse_rules(&fs::read_to_string(crate::repository_root().join(RULES_FILE)).unwrap()).unwrap()
    }

    fn build_package(name: &str, license: Option<&str>) -> CargoPackage {
        CargoPackage {
            id: name.to_owned(),
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: Some(CRATES_IO.to_owned()),
            publish: None,
            dependencies: Vec::new(),
        }
    }

    fn violations_of(package: CargoPackage) -> Vec<String> {
        find_violations(&parsed_rules(), &[package]).unwrap()
    }

    #[test]
    fn an_allowed_licence_passes_in_every_usual_spelling() {
        for license in
            ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "Apache-2.0 WITH LLVM-exception", "(MIT AND ISC)"]
        {
            assert_eq!(violations_of(build_package("fine", Some(license))), [""; 0], "{license}");
        }
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_refused() {
        for license in [Some("GPL-3.0-only"), Some("MIT AND AGPL-3.0-or-later"), Some("No such licence"), None] {
            assert_eq!(violations_of(build_package("odd", license)).len(), 1, "{license:?}");
        }
    }

    #[test]
    fn only_a_crate_that_is_never_published_needs_no_licence() {
        assert_eq!(violations_of(CargoPackage { publish: Some(Vec::new()), ..build_package("ours", None) }), [""; 0]);
        assert_eq!(
            violations_of(CargoPackage { publish: Some(vec!["x".to_owned()]), ..build_package("ours", None) }).len(),
            1
        );
    }

    #[test]
    fn a_banned_crate_is_refused_with_what_to_use_instead() {
        let found = violations_of(build_package("openssl-sys", Some("MIT")));
        assert!(
            found[0].contains("openssl-sys 1.0.0 is banned") && found[0].contains("Use rustls instead"),
            "{found:?}"
        );
    }

    #[test]
    fn a_crate_from_elsewhere_is_refused() {
        for source in ["git+https://git.example/thing", "registry+https://registry.example/index"] {
            let found =
                violations_of(CargoPackage { source: Some(source.to_owned()), ..build_package("thing", Some("MIT")) });
            assert!(found.len() == 1 && found[0].contains(source), "{found:?}");
        }
    }

    #[test]
    fn a_requirement_of_any_version_is_refused_unless_it_is_a_path() {
        let wanting = |path: Option<&str>| {
            let path = path.map(str::to_owned);
            let dependencies = vec![CargoRequirement { name: "thing".to_owned(), req: "*".to_owned(), path }];
            violations_of(CargoPackage { dependencies, ..build_package("ours", Some("MIT")) })
        };
        assert_eq!((wanting(None).len(), wanting(Some("../thing")).len()), (1, 0));
    }

    #[test]
    fn a_setting_that_is_not_checked_is_an_error() {
        let text = fs::read_to_string(crate::repository_root().join(RULES_FILE)).unwrap();
        for (from, to) in [
            ("[graph]", "[graph]\nexclude-dev = true"),
            ("unknown-git = \"deny\"", "unknown-git = \"allow\""),
            ("multiple-versions = \"allow\"", "multiple-versions = \"deny\""),
        ] {
            assert!(text.contains(from), "{from} is in {RULES_FILE}");
            assert!(parse_rules(&text.replace(from, to)).is_err(), "{to}");
        }
    }
}
