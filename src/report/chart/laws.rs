//! What every picture keeps, over all charts and runs.

use super::fixture;
use super::raster::tree;
use super::{View, draw, png};
use crate::catalog::CHARTS;
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

/// The widest a page draws text where a reader's font runs 5 % wider.
fn overlap(a: &Rect, b: &Rect) -> bool {
    a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom()
}

#[test]
fn no_text_overlaps_another_or_leaves_the_page() {
    for (name, run) in fixture::all() {
        for chart in CHARTS {
            let Some(svg) = draw(chart, &run, &View::default()).unwrap() else {
                continue;
            };
            let tree = tree(&svg).unwrap();
            let mut found = Vec::new();
            texts(tree.root(), &mut found);
            assert!(found.len() > 5, "{name} {}: too little text", chart.name);
            let size = tree.size();
            for (index, (text, place)) in found.iter().enumerate() {
                let is_inside = place.left() >= 0.0
                    && place.top() >= 0.0
                    && place.right() <= size.width()
                    && place.bottom() <= size.height();
                assert!(is_inside, "{name} {}: `{text}` leaves the page", chart.name);
                for (other, its_place) in &found[..index] {
                    let meets = overlap(place, its_place);
                    assert!(!meets, "{name} {}: `{text}` over `{other}`", chart.name);
                }
            }
        }
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    for chart in CHARTS {
        let drawing = || draw(chart, &fixture::costly_keys(), &View::default()).unwrap();
        assert_eq!(drawing(), drawing(), "{}", chart.name);
    }
}

#[test]
fn a_png_is_twice_the_size_of_its_drawing() {
    for (name, run) in fixture::all() {
        for chart in CHARTS {
            let Some(svg) = draw(chart, &run, &View::default()).unwrap() else {
                continue;
            };
            assert!(
                svg.len() < 2_000_000,
                "{name} {}: {} bytes",
                chart.name,
                svg.len()
            );
            let size = tree(&svg).unwrap().size();
            let bytes = png(&svg).unwrap();
            let decoded = resvg::tiny_skia::Pixmap::decode_png(&bytes).unwrap();
            let expected = (size.width() * 2.0, size.height() * 2.0);
            #[allow(clippy::cast_precision_loss)]
            let found = (decoded.width() as f32, decoded.height() as f32);
            assert!((expected.0 - found.0).abs() < 1.0, "{name} {}", chart.name);
            assert!((expected.1 - found.1).abs() < 1.0, "{name} {}", chart.name);
            if let Some(directory) = std::env::var_os("RATESIM_CHARTS") {
                let file = format!("{name}-{}", chart.name);
                let path = std::path::Path::new(&directory).join(file);
                std::fs::write(path.with_extension("png"), &bytes).unwrap();
                std::fs::write(path.with_extension("svg"), &svg).unwrap();
            }
        }
    }
}

#[test]
fn a_picture_must_end_after_it_begins() {
    let at = |seconds| Some(crate::units::SimTime::ZERO + crate::units::Nanos::from_secs(seconds));
    let view = View {
        from: at(70),
        to: at(60),
    };
    let error = draw(&CHARTS[0], &fixture::two(), &view).unwrap_err();
    assert_eq!(error.exit_status(), 2);
}
