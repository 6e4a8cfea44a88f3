//! `roost links`: lists the short links of an account.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_ops::short_link::{self, LinkInUse, LinkQuery};
use serde_json::{Value, json};

use super::read_all;
use crate::{
    failure::CliFailure,
    files::{SHORT_LINK_BASE, parse_short_link_base},
    terminal::{count_with_noun, plain_value, print_json, print_text},
};

#[derive(Args)]
pub(crate) struct LinksCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Words of the title or the tags, with at most one typing error each.
    #[arg(long, env = "ROOST_LINKS_QUERY", value_name = "TEXT")]
    query: Option<String>,
    /// A tag that the links must have. Can be repeated.
    #[arg(long = "tag", env = "ROOST_LINKS_TAG", value_name = "TAG")]
    tags: Vec<String>,
    /// The base of short URLs, for links without a base of their own.
    #[arg(long, env = "ROOST_SET_SHORT_LINK_BASE", value_name = "URL", default_value = SHORT_LINK_BASE,
        value_parser = parse_short_link_base)]
    short_link_base: String,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl LinksCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        let query =
            |page| LinkQuery { query: self.query.clone(), tags: self.tags.clone(), page, ..LinkQuery::default() };
        let links = read_all(&self.db, |core, page| short_link::find_links(core, &query(page)))?;
        if self.json {
            return print_json(&links.iter().map(|link| self.to_json(link)).collect::<Vec<_>>());
        }
        let mut text = String::new();
        for LinkInUse { link, clicks, .. } in &links {
            let (clicks, url) =
                (count_with_noun(*clicks, "click"), plain_value(&link.short_url(&self.short_link_base)));
            let _ = writeln!(text, "{url}  {}, {clicks}", plain_value(&link.title));
            let _ = writeln!(text, "  {}", plain_value(&link.target_url));
        }
        let is_filtered = self.query.is_some() || !self.tags.is_empty();
        print_text(match (links.is_empty(), is_filtered) {
            (false, _) => &text,
            (true, true) => "No short link matches.\n",
            (true, false) => "The account has no short links.\n",
        })
    }

    fn to_json(&self, LinkInUse { link, clicks, is_at_service }: &LinkInUse) -> Value {
        json!({
            "link_id": link.link_id.as_str(),
            "title": link.title,
            "short_link_url": link.short_url(&self.short_link_base),
            "target_url": link.target_url,
            "tags": link.tags,
            "created_at": link.created_at.to_iso(),
            "track_clicks": link.track_clicks,
            "clicks": clicks,
            "at_service": is_at_service,
        })
    }
}
