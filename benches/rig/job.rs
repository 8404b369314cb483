//! One run in a process of its own, so that its peak of memory is its own.

use crate::traffic::{read, scenario};
use ratesim::report::csv;
use ratesim::scenario::{Scenario, Source};
use ratesim::simulation;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What is to be run: the process's arguments after [`FLAG`].
pub(crate) struct Job(Vec<String>);

/// Marks the arguments of such a process.
const FLAG: &str = "--job";

/// What a run took.
#[derive(Clone)]
pub(crate) struct Outcome {
    /// From the scenario's text to the results, in seconds.
    pub(crate) seconds: f64,
    /// The most resident memory, in bytes, where the system tells.
    pub(crate) peak: Option<u64>,
    /// Requests decided.
    pub(crate) requests: u64,
    /// Decisions: requests times candidates.
    pub(crate) decisions: u64,
    /// A digest of the results' files.
    pub(crate) digest: String,
}

impl Job {
    /// Poisson traffic at the limit; see [`scenario`].
    pub(crate) fn poisson(keys: u64, requests: u64, threads: usize) -> Self {
        Self(vec![
            threads.to_string(),
            keys.to_string(),
            requests.to_string(),
        ])
    }

    /// A scenario file for a duration of its own.
    pub(crate) fn file(path: &Path, nanos: u64, threads: usize) -> Self {
        let path = path.display().to_string();
        Self(vec![threads.to_string(), path, format!("{nanos}ns")])
    }

    /// What this process has been started for, if it has been by [`Job::fastest`].
    pub(crate) fn of_this_process() -> Option<Self> {
        let mut arguments = std::env::args().skip_while(|argument| argument != FLAG);
        arguments.next()?;
        Some(Self(arguments.collect()))
    }

    fn scenario(&self) -> Scenario {
        let (what, size) = (&self.0[1], &self.0[2]);
        match (what.parse(), size.parse()) {
            (Ok(keys), Ok(requests)) => scenario(keys, requests),
            _ => {
                let source = Source::open(Path::new(what)).expect("a scenario file");
                read(&source, &[format!("duration={size}")])
            }
        }
    }

    /// Runs it in this process and prints its outcome.
    pub(crate) fn run(&self) {
        let threads = self.0[0].parse().expect("a number of threads");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global().expect("the first pool");
        let begun = Instant::now();
        let plan = self.scenario().into_plan(false);
        let result = simulation::run(&plan, &()).expect("a run");
        let seconds = begun.elapsed().as_secs_f64();
        let peak = peak().map_or("-".to_owned(), |bytes| bytes.to_string());
        let decisions = result.requests * result.candidates.len() as u64;
        let mut files = Vec::new();
        for write in [csv::summary, csv::series, csv::keys] {
            write(&result, &mut files).expect("a vector takes everything");
        }
        let digest = Sha256::digest(files);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{seconds} {peak} {} {decisions} {digest}", result.requests);
    }

    /// The fastest of three runs, each in a process of its own; of one where it takes longer than ten
    /// seconds.
    pub(crate) fn fastest(&self) -> Outcome {
        let mut fastest = self.outcome();
        for _ in 0..2 {
            if fastest.seconds > 10.0 {
                break;
            }
            let next = self.outcome();
            assert_eq!(
                next.digest, fastest.digest,
                "the same run gave other results"
            );
            if next.seconds < fastest.seconds {
                fastest = next;
            }
        }
        fastest
    }

    fn outcome(&self) -> Outcome {
        let program = std::env::current_exe().expect("a program");
        let output = Command::new(program).arg(FLAG).args(&self.0).output();
        let output = output.expect("the program can be started again");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let text = String::from_utf8(output.stdout).expect("text");
        let [seconds, peak, requests, decisions, digest] =
            *text.split_whitespace().collect::<Vec<_>>()
        else {
            panic!("{text}");
        };
        Outcome {
            seconds: seconds.parse().expect("seconds"),
            peak: peak.parse().ok(),
            requests: requests.parse().expect("a count"),
            decisions: decisions.parse().expect("a count"),
            digest: digest.to_owned(),
        }
    }
}

/// The most memory that this process has had resident; none where there is no such file.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1_024)
}
