//! Timings of recorded traffic, plain and packed: the scan before a run on one thread; scan and replay on
//! all threads; and a whole run through one algorithm.
//!
//! The logs are invented, the same ones each time, in order of time, and written to a temporary folder:
//! `RATESIM_BENCH_MB` says how many megabytes of plain text (128). Bytes and items per second are those
//! of the plain text and of its lines. Run with `cargo bench --bench traces`.

#[path = "rig/figures.rs"]
mod figures;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use flate2::{Compression, write::GzEncoder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use ratesim::scenario::{Bounds, Overrides, Scenario, Source};
use ratesim::simulation;
use ruzstd::encoding::{CompressionLevel, compress};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::Instant;
use tempfile::TempDir;

fn main() {
    divan::main();
    let best = *BEST.lock().expect("no benchmark panicked");
    if best > 0.0 {
        let figures = [("combined_mb_per_s_per_core".to_owned(), best)];
        figures::leave("traces", &figures.into());
    }
}

/// The most megabytes of the combined log that one thread has scanned in a second.
static BEST: Mutex<f64> = Mutex::new(0.0);

/// The invented logs, by their file names, with what they hold.
static LOGS: LazyLock<Logs> = LazyLock::new(|| Logs::write().expect("room for the logs"));

const PLAIN: [&str; 2] = ["combined.log", "requests.csv"];
const ALL: [&str; 6] = [
    "combined.log",
    "combined.log.gz",
    "combined.log.zst",
    "requests.csv",
    "requests.csv.gz",
    "requests.csv.zst",
];

struct Logs {
    folder: TempDir,
    /// Lines and bytes of each of the plain files.
    sizes: [(u64, u64); 2],
}

impl Logs {
    fn write() -> io::Result<Self> {
        let megabytes = std::env::var("RATESIM_BENCH_MB").ok();
        let megabytes: u64 = megabytes.and_then(|text| text.parse().ok()).unwrap_or(128);
        let folder = TempDir::new()?;
        let mut sizes = [(0, 0); 2];
        for (name, size) in PLAIN.iter().zip(&mut sizes) {
            let path = folder.path().join(name);
            *size = write_log(&path, name.ends_with("csv"), 1_000_000 * megabytes)?;
            let mut gzip = GzEncoder::new(create(&folder, name, "gz")?, Compression::default());
            io::copy(&mut File::open(&path)?, &mut gzip)?;
            gzip.finish()?.flush()?;
            let plain = BufReader::new(File::open(&path)?);
            compress(
                plain,
                create(&folder, name, "zst")?,
                CompressionLevel::Fastest,
            );
        }
        Ok(Self { folder, sizes })
    }

    fn size(&self, name: &str) -> (ItemsCount, BytesCount) {
        let index = PLAIN.iter().position(|plain| name.starts_with(plain));
        let (lines, bytes) = self.sizes[index.expect("one of the files")];
        (ItemsCount::new(lines), BytesCount::new(bytes))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn create(folder: &TempDir, name: &str, more: &str) -> io::Result<BufWriter<File>> {
    let path = folder.path().join(format!("{name}.{more}"));
    File::create(path).map(BufWriter::new)
}

const AGENTS: [&str; 6] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "curl/8.7.1",
    "-",
];

/// Writes about `bytes` bytes of requests, 400 a second on average, of 50,000 addresses of unequal
/// weight; gives lines and bytes.
fn write_log(path: &Path, is_csv: bool, bytes: u64) -> io::Result<(u64, u64)> {
    let mut random = Pcg64::seed_from_u64(1);
    let mut out = BufWriter::new(File::create(path)?);
    let header = if is_csv {
        "time,key,endpoint,method,cost\n"
    } else {
        ""
    };
    out.write_all(header.as_bytes())?;
    let (mut lines, mut written, mut micros) = (u64::from(is_csv), header.len() as u64, 0u64);
    let mut line = Vec::new();
    while written < bytes {
        micros += random.random_range(0..5_000);
        let address = skewed(&mut random, 50_000);
        let address = format!(
            "{}.{}.{}.7",
            10 + address % 200,
            address / 200 % 256,
            address % 251
        );
        let path = format!("/articles/{}/page.html", skewed(&mut random, 2_000));
        let size = random.random_range(200..60_000);
        line.clear();
        if is_csv {
            let (clock, rest) = (clock(micros), micros % 1_000_000);
            writeln!(
                line,
                "2026-06-01 {clock}.{rest:06},{address},{path},GET,{size}"
            )?;
        } else {
            let agent = AGENTS[skewed(&mut random, 6) as usize];
            let status = [200, 200, 200, 304, 404][random.random_range(0..5)];
            writeln!(
                line,
                "{address} - - [01/Jun/2026:{} +0000] \"GET {path}?ref=feed HTTP/1.1\" {status} {size} \
                 \"https://www.example.com/articles/\" \"{agent}\"",
                clock(micros)
            )?;
        }
        out.write_all(&line)?;
        lines += 1;
        written += line.len() as u64;
    }
    out.flush()?;
    Ok((lines, written))
}

/// A number below `count`, small ones more often.
fn skewed(random: &mut Pcg64, count: u32) -> u32 {
    let below = random.random_range(0..count) + 1;
    random.random_range(0..below)
}

fn clock(micros: u64) -> String {
    let seconds = micros / 1_000_000;
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3_600 % 24,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Scans the file.
fn scan(name: &str) -> Scenario {
    let text = format!(
        "limit = \"100/1m\"\n[[algorithm]]\nkind = \"gcra\"\n[[traffic]]\npattern = \"trace\"\n\
         file = \"{name}\"\n"
    );
    let source = Source::new(&LOGS.path("bench.toml"), text);
    let scenario = Scenario::read(&source, &Overrides::default(), &Bounds::default());
    let scenario = scenario.expect("a valid log");
    assert!(scenario.notes.is_empty(), "{:?}", scenario.notes);
    scenario
}

/// Reading every line once, on one thread.
#[divan::bench(args = ALL, sample_count = 3)]
fn scan_on_one_thread(bencher: Bencher, name: &str) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread");
    let (lines, bytes) = LOGS.size(name);
    let bencher = bencher.counter(lines).counter(bytes);
    let (_, size) = LOGS.sizes[0];
    bencher.bench_local(|| {
        let begun = Instant::now();
        let requests = pool.install(|| scan(name).workload.expected_requests());
        if name == PLAIN[0] && !figures::is_check() {
            let speed = size as f64 / 1e6 / begun.elapsed().as_secs_f64();
            let mut best = BEST.lock().expect("no benchmark panicked");
            *best = best.max(speed);
        }
        requests
    });
}

/// Both passes up to the arrivals, on all threads.
#[divan::bench(args = ALL, sample_count = 3)]
fn scan_and_replay(bencher: Bencher, name: &str) {
    let (lines, bytes) = LOGS.size(name);
    let bencher = bencher.counter(lines).counter(bytes);
    bencher.bench_local(|| {
        let mut rounds = scan(name).workload.rounds(0);
        let mut batch = Vec::new();
        let mut requests = 0;
        while rounds.advance().expect("the same log") {
            for feed in rounds.feeds() {
                while feed.fill(&mut batch) {
                    requests += batch.len();
                }
            }
        }
        requests
    });
}

/// A whole run through one algorithm with all measures, on all threads.
#[divan::bench(args = PLAIN, sample_count = 3)]
fn scan_and_run(bencher: Bencher, name: &str) {
    let (lines, bytes) = LOGS.size(name);
    let bencher = bencher.counter(lines).counter(bytes);
    bencher.bench_local(|| {
        let plan = scan(name).into_plan(false);
        simulation::run(&plan, &()).expect("the same log").requests
    });
}
