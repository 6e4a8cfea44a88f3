//! A page of charts: each figure beside its limit or peer, and its ratio over the kept history.

use std::fmt::{self, Display, Formatter, Write};

use super::{Bound, KeptFigures, Measurement};

const STYLE: &str = "
:root { color-scheme: light dark; font: 14px system-ui, sans-serif }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); padding: .35rem .6rem; text-align: start }
th { position: sticky; top: 0; background: Canvas }
td.number { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums }
svg { display: block } svg text { fill: currentColor; font-size: 11px }
.ours { fill: #2f7d6b } .missed .ours { fill: #c2542d } .reference { fill: color-mix(in srgb, currentColor 30%, transparent) }
.goal { stroke: currentColor; stroke-dasharray: 3 2 } .ratios { fill: none; stroke: #2f7d6b; stroke-width: 1.5 }
.missed td.result { color: #c2542d; font-weight: 600 }
";
const BAR_WIDTH: f64 = 300.0;
const HISTORY_WIDTH: f64 = 120.0;
const HEIGHT: f64 = 34.0;

/// A text in which HTML has no meaning.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for part in self.0.chars() {
            match part {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '"' => f.write_str("&quot;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

pub(super) fn write_page(rows: &[Measurement], history: &[KeptFigures]) -> String {
    let met = rows.iter().filter(|row| row.is_met).count();
    let body: String = rows.iter().map(|row| write_row(row, history)).collect();
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Figures of Roost</title><style>{STYLE}</style><h1>Figures of Roost</h1>\
         <p>{met} of {} goals are met. Upper bar: Roost. Lower bar: its limit or peer in the same run. Dashed line: the \
         goal. The last column shows the ratio over the kept releases, the newest on the right.</p>\
         <table><thead><tr><th>Id<th>Figure<th>Roost and its limit or peer<th>Ratio<th>Goal<th>Result<th>History</thead>\
         <tbody>{body}</tbody></table></html>\n",
        rows.len()
    )
}

fn write_row(row: &Measurement, history: &[KeptFigures]) -> String {
    format!(
        "<tr class=\"{}\"><td>{}<td>{}<td>{}<td class=number>{}<td class=number>{}<td class=result>{}<td>{}</tr>\n",
        if row.is_met { "met" } else { "missed" },
        Escaped(&row.id),
        Escaped(&row.what),
        draw_bars(row),
        row.write_ratio(),
        Escaped(&row.write_goal()),
        if row.is_met { "met" } else { "missed" },
        draw_history(row, history)
    )
}

fn draw_bars(row: &Measurement) -> String {
    let goal = row.reference * row.goal;
    let most = row.ours.max(row.reference).max(goal);
    let length = |figure: f64| BAR_WIDTH * figure.max(0.0) / most;
    let bar = |class: &str, y: f64, figure: f64| {
        format!(
            "<rect class={class} y={y} height=14 width={:.1}></rect><text x=4 y={}>{}</text>",
            length(figure),
            y + 11.0,
            Escaped(&row.write_figure(figure))
        )
    };
    let (ours, reference, at) = (bar("ours", 1.0, row.ours), bar("reference", 18.0, row.reference), length(goal));
    format!(
        "<svg width={BAR_WIDTH} height={HEIGHT} role=img>{ours}{reference}\
         <line class=goal x1={at:.1} x2={at:.1} y1=0 y2={HEIGHT}></line></svg>"
    )
}

fn draw_history(row: &Measurement, history: &[KeptFigures]) -> String {
    let kept = history.iter().filter_map(|kept| Some((kept.name.as_str(), kept.find(row)?.ratio)));
    let points: Vec<_> = kept.chain([("now", row.ratio)]).collect();
    let most = points.iter().map(|(_, ratio)| *ratio).fold(row.goal, f64::max);
    let place = |at: usize, ratio: f64| {
        let x = 5.0 + (HISTORY_WIDTH - 10.0) * (at + 1) as f64 / points.len() as f64;
        (x, HEIGHT - 3.0 - (HEIGHT - 6.0) * ratio / most)
    };
    let (mut line, mut dots) = (String::new(), String::new());
    for (at, (name, ratio)) in points.iter().enumerate() {
        let (x, y) = place(at, *ratio);
        line += &format!("{x:.1},{y:.1} ");
        dots += &format!(
            "<circle class=ours cx={x:.1} cy={y:.1} r=2.5><title>{}: {ratio:.3}</title></circle>",
            Escaped(name)
        );
    }
    let goal = place(0, row.goal).1;
    let bound = if row.bound == Bound::AtMost { "at most" } else { "at least" };
    format!(
        "<svg width={HISTORY_WIDTH} height={HEIGHT} role=img><title>{bound} {}</title>\
         <line class=goal x1=0 x2={HISTORY_WIDTH} y1={goal:.1} y2={goal:.1}></line>\
         <polyline class=ratios points=\"{}\"></polyline>{dots}</svg>",
        row.goal,
        line.trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_drawn_beside_its_limit_and_its_history() {
        let row = |ours: f64| Measurement::at_most("P1", "rows <of> \"a\" & b", "s", ours, 2.0, 1.5);
        let kept = |name: &str, at, ours| KeptFigures {
            name: name.to_owned(),
            measured_at: at,
            cores: 2,
            rows: vec![row(ours)],
        };
        let page = write_page(&[row(4.0)], &[kept("0.1.0", 1, 2.0), kept("0.2.0", 2, 3.0)]);
        for part in [
            "rows &lt;of> &quot;a&quot; &amp; b",
            "class=\"missed\"",
            "class=ours y=1 height=14 width=300.0",
            "class=reference y=18 height=14 width=150.0",
            "x1=225.0 x2=225.0",
            "0.1.0: 1.000",
            "0.2.0: 1.500",
            "now: 2.000",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
