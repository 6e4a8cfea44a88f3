//! Reads device, browser and system of a visitor from the User-Agent; whatever is unclear stays unknown.

use roost_ops::short_link::LinkVisit;

/// Substrings with the names they stand for. The first match counts, so a browser that imitates another comes before
/// it.
type AgentMarks = [(&'static str, &'static str)];

const BROWSERS: &AgentMarks = &[
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Version/", "Safari"),
];

const SYSTEMS: &AgentMarks = &[
    ("Windows NT", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
];

const DEVICES: &AgentMarks = &[
    ("iPad", "tablet"),
    ("Tablet", "tablet"),
    ("Mobile", "mobile"),
    ("Android", "tablet"),
    ("Windows NT", "desktop"),
    ("Macintosh", "desktop"),
    ("CrOS", "desktop"),
    ("X11", "desktop"),
];

pub(super) fn parse_user_agent(user_agent: Option<&str>) -> LinkVisit {
    // Other programs name themselves without this prefix, and robots identify themselves by a word.
    let agent = user_agent.filter(|agent| agent.starts_with("Mozilla/5.0 (") && !is_robot(agent));
    let find = |marks: &AgentMarks| {
        let found = agent.and_then(|agent| marks.iter().find(|(mark, _)| agent.contains(mark)));
        found.map(|(_, name)| (*name).to_owned())
    };
    let browser =
        find(BROWSERS).filter(|name| name != "Safari" || agent.is_some_and(|agent| agent.contains("Safari/")));
    LinkVisit { device: find(DEVICES), browser, operating_system: find(SYSTEMS), ..LinkVisit::default() }
}

fn is_robot(agent: &str) -> bool {
    let agent = agent.to_ascii_lowercase();
    ["bot", "crawler", "spider", "preview"].iter().any(|word| agent.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_browsers_are_recognised_and_others_are_unknown() {
        let cases = [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
                Some("desktop"),
                Some("Edge"),
                Some("Windows"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                Some("mobile"),
                Some("Safari"),
                Some("iOS"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
                Some("mobile"),
                Some("Chrome"),
                Some("Android"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Safari/537.36",
                Some("tablet"),
                Some("Samsung Internet"),
                Some("Android"),
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
                Some("desktop"),
                Some("Firefox"),
                Some("Linux"),
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
                Some("desktop"),
                Some("Safari"),
                Some("macOS"),
            ),
            ("Mozilla/5.0 (compatible; Somebot/2.1; +http://client.example/bot.html)", None, None, None),
            ("curl/8.5.0", None, None, None),
            ("", None, None, None),
        ];
        for (agent, device, browser, system) in cases {
            let visit = parse_user_agent(Some(agent));
            assert_eq!(
                (visit.device.as_deref(), visit.browser.as_deref(), visit.operating_system.as_deref()),
                (device, browser, system),
                "{agent}"
            );
        }
        assert_eq!(parse_user_agent(None), LinkVisit::default());
    }
}
