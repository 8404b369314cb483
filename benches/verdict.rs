//! What was asked for beside what the benchmarks before this one have measured. Run with `cargo bench`;
//! see `benches/README.md`.

#[path = "rig/figures.rs"]
mod figures;

use figures::Figures;
use ratesim::catalog::{ALGORITHMS, AlgorithmRow};

/// The number of keys that the ratios are asked for at.
const KEYS: u64 = 270_000;

fn main() {
    if figures::is_check() {
        return;
    }
    let mut all = Figures::new();
    for benchmark in ["decide", "events", "scaling", "traces"] {
        match figures::found(benchmark) {
            Some((figures, age)) => {
                println!("{benchmark}: measured {} s ago", age.as_secs());
                all.extend(figures);
            }
            None => println!("{benchmark}: left no figures"),
        }
    }
    println!("\n{:<58}{:>10}{:>12}", "", "asked", "measured");
    for (what, asked, measured) in rows(&all) {
        let measured = measured.map_or("-".to_owned(), |figure| format!("{figure:.2}"));
        println!("{what:<58}{asked:>10}{measured:>12}");
    }
}

/// What is told, what was asked for, and what was measured.
type Row = (String, &'static str, Option<f64>);

fn rows(figures: &Figures) -> Vec<Row> {
    let get = |name: &str| figures.get(name).copied();
    let ratio = |over: &str, under: &str| Some(get(over)? / get(under)?);
    let each = |kind: &str, who: &str| format!("{KEYS} {kind} {who}");
    let mut rows: Vec<Row> = Vec::new();
    let mut of_kinds = |what: &str, asked, who: &str| {
        let row = |row: &AlgorithmRow| {
            let kind = row.kind;
            let measured = ratio(&each(kind, who), &each(kind, "floor"));
            (format!("{what}, {kind}"), asked, measured)
        };
        rows.extend(ALGORITHMS.iter().map(row));
    };
    of_kinds("without measures ÷ floor", "≤ 2", "no_measures");
    of_kinds("with all measures ÷ floor", "≤ 4", "all_measures");
    for store in ["dashmap", "hashmap"] {
        let governor = each("gcra", &format!("governor_{store}"));
        let measured = ratio(&governor, &each("gcra", "no_measures"));
        rows.push((
            format!("governor ({store}) ÷ gcra without measures"),
            "≥ 6",
            measured,
        ));
    }
    let mut row = |what: &str, asked, measured| rows.push((what.to_owned(), asked, measured));
    row("1 thread ÷ 2 threads, wall", "≥ 1.8", get("speed_up_of_2"));
    row("cloudflare.toml, s", "< 30", get("cloudflare_whole_s"));
    row(
        "cloudflare.toml, MiB",
        "< 1024",
        get("cloudflare_whole_mib"),
    );
    for (name, more, fewer) in [
        ("a tenth → the whole", "whole", "tenth"),
        ("the whole → ten times", "tenfold", "whole"),
    ] {
        let of = |unit: &str| {
            let name = |part| format!("cloudflare_{part}_{unit}");
            ratio(&name(more), &name(fewer))
        };
        row(&format!("cloudflare.toml, {name}: time"), "10", of("s"));
        row(&format!("cloudflare.toml, {name}: memory"), "1", of("mib"));
    }
    row(
        "million events per second, atomic, counts alone",
        "≥ 4",
        get("atomic counts"),
    );
    row(
        "million events per second, atomic, all measures",
        "≥ 4",
        get("atomic all"),
    );
    let combined = get("combined_mb_per_s_per_core");
    row("combined log lines, MB/s per core", "≥ 200", combined);
    rows
}
