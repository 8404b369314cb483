//! What every picture keeps, over all charts and runs.

use super::fixture;
use super::raster::tree;
use super::{View, draw, png};
use crate::catalog::CHARTS;
use crate::measure::RunResult;
use crate::units::{Nanos, SimTime};
use resvg::usvg::{Group, Node, Rect};

/// Text and its box in canvas units.
fn texts(group: &Group, found: &mut Vec<(String, Rect)>) {
    for node in group.children() {
        match node {
            Node::Group(group) => texts(group, found),
            Node::Text(text) => {
                let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
                found.push((words, text.abs_bounding_box()));
            }
            _ => {}
        }
    }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom()
}

/// The whole run, and its middle third.
fn views(run: &RunResult) -> [View; 2] {
    let third = run.horizon.as_nanos() / 3;
    let at = |nanos| Some(SimTime::from_nanos(nanos));
    let middle = View {
        from: at(third),
        to: at(2 * third),
    };
    [View::default(), middle]
}

/// Fails where text meets text or the edge of the page.
fn check_texts(svg: &str, picture: &str) {
    let tree = tree(svg).unwrap();
    let mut found = Vec::new();
    texts(tree.root(), &mut found);
    assert!(found.len() > 5, "{picture}: too little text");
    let size = tree.size();
    for (index, (text, place)) in found.iter().enumerate() {
        let is_inside = place.left() >= 0.0
            && place.top() >= 0.0
            && place.right() <= size.width()
            && place.bottom() <= size.height();
        assert!(is_inside, "{picture}: `{text}` leaves the page");
        for (other, its_place) in &found[..index] {
            assert!(
                !overlap(place, its_place),
                "{picture}: `{text}` over `{other}`"
            );
        }
    }
}

#[test]
fn no_text_overlaps_another_or_leaves_the_page() {
    for (name, run) in fixture::all() {
        for (chart, view) in CHARTS
            .iter()
            .flat_map(|chart| views(&run).map(|view| (chart, view)))
        {
            if let Some(svg) = draw(chart, &run, &view).unwrap() {
                check_texts(&svg, &format!("{} of {name}", chart.name));
                assert!(
                    svg.len() < 1_000_000,
                    "{} of {name}: {}",
                    chart.name,
                    svg.len()
                );
            }
        }
    }
}

/// The texts of a chart of the whole run.
fn said(chart: &str, run: &RunResult) -> String {
    let chart = CHARTS.iter().find(|row| row.name == chart).unwrap();
    draw(chart, run, &View::default()).unwrap().unwrap()
}

#[test]
fn the_boundary_burst_is_told_by_its_lane() {
    let timeline = said("timeline", &fixture::boundary_burst());
    assert_eq!(
        timeline.matches("10 within 10 s: 2.0 × the limit").count(),
        1
    );
    assert_eq!(timeline.matches("5 of 10 admitted").count(), 5);
    // Ten decisions in each of six lanes; four of the leaky bucket's are diamonds, and the legend
    // has one disc.
    assert_eq!(
        timeline.matches("<circle").count(),
        5 + 1 + 10 + 5 + 5 + 5 + 1
    );
    let window = said("window", &fixture::boundary_burst());
    assert_eq!(window.matches("at most 5").count(), 5);
}

/// What the pictures of delays, envelopes and keys have nothing to show of is not drawn.
#[test]
fn pictures_without_a_subject_are_left_out() {
    let is_drawn = |chart: &str, run: &RunResult| {
        let chart = CHARTS.iter().find(|row| row.name == chart).unwrap();
        draw(chart, run, &View::default()).unwrap().is_some()
    };
    let mut burst = fixture::boundary_burst();
    assert!(is_drawn("delay", &burst) && is_drawn("envelope", &burst));
    assert!(!is_drawn("keys", &burst), "one key");
    burst.candidates.remove(1);
    assert!(!is_drawn("delay", &burst), "only the leaky bucket delays");
    let many = fixture::ten_million();
    assert!(is_drawn("keys", &many));
    assert!(!is_drawn("envelope", &many), "no records");
}

/// By hand: five forwarded from 0:55 to 0:59 and five from 1:00 to 1:04 are ten within 9 s, where a
/// bucket of five that gains five a minute forwards at most 5.75; seven within 6 s and eight within
/// 7 s are a lower multiple. The leaky bucket's waits are 0, 11, 22, 33 and 44 s.
#[test]
fn the_envelope_and_the_waits_of_the_boundary_burst_are_told() {
    let envelope = said("envelope", &fixture::boundary_burst());
    assert_eq!(
        envelope.matches("10 within 9 s: 1.74 × the bound").count(),
        1
    );
    assert_eq!(
        envelope
            .matches("within the bound; at most 5 in one window")
            .count(),
        5
    );
    let delay = said("delay", &fixture::boundary_burst());
    for told in [
        "4 of 5 admitted are delayed",
        "p50 22 s",
        "p90, p99, max 44 s",
    ] {
        assert!(delay.contains(told), "{told}");
    }
}

/// By hand: 38 of 150 requests, one every 0.4 s, come in the 15 s of the outage. Each candidate's lane
/// names the outage once; the two that fail closed say how many errors that is.
#[test]
fn an_outage_is_shaded_and_its_errors_are_counted_and_marked() {
    let outage = fixture::outage();
    let timeline = said("timeline", &outage);
    assert_eq!(timeline.matches("store down").count(), 6);
    assert_eq!(timeline.matches(", 38 errors").count(), 2);
    for told in ["error (503)", "shaded: the store or a node is down"] {
        assert_eq!(timeline.matches(told).count(), 1, "{told}");
    }
    assert!(said("scorecard", &outage).contains("errors"));
    assert!(said("throughput", &outage).contains("shaded: "));
}

#[test]
fn the_sequence_tells_the_race_and_is_left_out_on_one_node() {
    let sequence = said("sequence", &fixture::race());
    for told in [
        "#3 count 3",
        "#4 count 3",
        "#3 write 4",
        "#4 write 4",
        "#4 allow",
        "8.5 ms",
        "lost update: #4&apos;s write 4 replaced #3&apos;s 4",
    ] {
        assert_eq!(sequence.matches(told).count(), 1, "{told}");
    }
    let chart = CHARTS.iter().find(|row| row.name == "sequence").unwrap();
    let nothing = draw(chart, &fixture::boundary_burst(), &View::default()).unwrap();
    assert_eq!(nothing, None);
}

/// Six queues, of which every other one lost five, and as many backends.
#[test]
fn queues_and_backends_are_told_by_their_lanes_and_left_out_where_there_are_none() {
    let run = fixture::around();
    let queue = said("queue", &run);
    let told = "12 queued, waits: p50 18 s, p99 36 s, max 36 s; 3 left";
    assert_eq!(queue.matches(told).count(), 6);
    assert_eq!(queue.matches("5 lost").count(), 3);
    assert_eq!(queue.matches("room for 10, worked off at").count(), 3);
    let backend = said("backend", &run);
    for (told, times) in [
        ("of it denying", 3),
        ("found it overloaded", 3),
        (
            "answers: p50 40 ms (40 ms without), p99 400 ms (9 s without)",
            3,
        ),
        ("p99 1.6 s (9 s without)", 3),
    ] {
        assert_eq!(backend.matches(told).count(), times, "{told}");
    }
    for name in ["queue", "backend"] {
        let chart = CHARTS.iter().find(|row| row.name == name).unwrap();
        let nothing = draw(chart, &fixture::boundary_burst(), &View::default()).unwrap();
        assert_eq!(nothing, None, "{name}");
    }
}

/// One line per node where each has a level of its own.
#[test]
fn nodes_of_their_own_have_a_level_each() {
    let timeline = said("timeline", &fixture::ten_gateways());
    assert_eq!(timeline.matches(", a line per node").count(), 3);
}

#[test]
fn the_scorecard_marks_who_broke_the_promise() {
    let scorecard = said("scorecard", &fixture::boundary_burst());
    assert_eq!(scorecard.matches("2.0 ×").count(), 1);
    assert_eq!(scorecard.matches("1.0 ×").count(), 5);
    // Nobody is labelled and there is one key.
    for absent in ["legitimate denied", "fairness"] {
        assert!(!scorecard.contains(absent), "{absent}");
    }
}

#[test]
fn requests_beyond_telling_apart_are_a_strip_with_its_scale() {
    for run in [fixture::ten_million(), fixture::sixty()] {
        let timeline = said("timeline", &run);
        assert_eq!(timeline.matches("<circle").count(), 0);
        assert!(timeline.contains("bars: requests per "));
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    for chart in CHARTS {
        let drawing = || draw(chart, &fixture::costly_keys(), &View::default()).unwrap();
        assert_eq!(drawing(), drawing(), "{}", chart.name);
    }
}

/// With `RATESIM_CHARTS` set to a directory, all pictures are written there to be looked at.
#[test]
fn a_png_is_twice_the_size_of_its_drawing() {
    let directory = std::env::var_os("RATESIM_CHARTS").map(std::path::PathBuf::from);
    let runs = match directory {
        Some(_) => fixture::all(),
        None => vec![("two", fixture::two())],
    };
    for (name, run) in runs {
        for chart in CHARTS {
            let Some(svg) = draw(chart, &run, &View::default()).unwrap() else {
                continue;
            };
            let size = tree(&svg).unwrap().size();
            let bytes = png(&svg).unwrap();
            let decoded = resvg::tiny_skia::Pixmap::decode_png(&bytes).unwrap();
            let twice = size.to_int_size().scale_by(2.0).unwrap();
            assert_eq!(
                (decoded.width(), decoded.height()),
                (twice.width(), twice.height())
            );
            if let Some(directory) = &directory {
                let path = directory.join(format!("{name}-{}", chart.name));
                std::fs::write(path.with_extension("png"), &bytes).unwrap();
                std::fs::write(path.with_extension("svg"), &svg).unwrap();
            }
        }
    }
}

#[test]
fn a_picture_must_end_after_it_begins_and_begin_before_all_is_over() {
    let at = |seconds| Some(SimTime::ZERO + Nanos::from_secs(seconds));
    for (from, to) in [
        (at(70), at(60)),
        (at(60), at(60)),
        (None, at(0)),
        (at(3_600), None),
    ] {
        let view = View { from, to };
        let error = draw(&CHARTS[0], &fixture::boundary_burst(), &view).unwrap_err();
        assert_eq!(error.exit_status(), 2, "{view:?}");
    }
}
