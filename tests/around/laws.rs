//! Laws of what is around a limiter, over random traffic.

use super::{Place, Setting, drain, hold};
use crate::ran::Ran;
use proptest::prelude::*;
use ratesim::limiter::Decision;
use ratesim::measure::Reason;

const ALGORITHMS: [&str; 6] = [
    "token_bucket",
    "leaky_bucket",
    "fixed_window",
    "sliding_window_log",
    "sliding_window_counter",
    "gcra",
];

/// Twelve seconds of requests at 3/1s, some of which can never pass.
fn text(seed: u64, rate: u32, rest: &str) -> String {
    format!(
        "limit = '3/1s'\nduration = '12s'\nseed = {seed}\n{rest}\n\
         [[traffic]]\npattern = 'poisson'\nrate = '{rate}/s'\nkeys = {{ count = 3 }}\nlegitimate = true\n\
         cost = {{ kind = 'empirical', values = [1, 2, 9], weights = [8, 2, 1] }}\n\
         [[traffic]]\npattern = 'burst'\nat = '3s'\ncount = 9\nrepeat_every = '2500ms'\n\
         keys = {{ count = 3 }}\nlegitimate = false\n"
    )
}

fn with_algorithm(text: &str, kind: &str, deployments: &str) -> Ran {
    Ran::text(&format!(
        "{text}[[algorithm]]\nkind = '{kind}'\n[[deployment]]\nname = 'drop'\n{deployments}"
    ))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A queue changes nothing but what is told to those over the limit, and takes them as defined.
    #[test]
    fn a_queue_takes_exactly_what_the_limiter_denies(
        seed in 0u64..1 << 40, rate in 3u32..30, capacity in 1usize..40, units in 1u64..8, kind in 0usize..6
    ) {
        let queue = format!(
            "[[deployment]]\nname = 'queue'\n\
             over_limit = {{ action = 'queue', capacity = {capacity}, drain_rate = '{units}/700ms' }}\n"
        );
        let run = with_algorithm(&text(seed, rate, ""), ALGORITHMS[kind], &queue);
        let (drop, queue) = (run.of("drop"), run.of("queue"));
        let over: Vec<u64> = drop
            .each()
            .filter(|(_, record)| record.decision == Decision::Deny)
            .map(|(arrival, _)| arrival.at.as_nanos())
            .collect();
        let rate = (u128::from(units), 700_000_000);
        let mut expected = drain(&over, capacity, rate).into_iter();
        for ((_, alone), (_, record)) in drop.each().zip(queue.each()) {
            let told = match alone.decision {
                Decision::Deny => expected.next().unwrap(),
                admitted => Some(admitted.delay().get()),
            };
            let found = record.decision.is_admitted().then(|| record.decision.delay().get());
            prop_assert_eq!(found, told);
            let queued = record.reason == Some(Reason::Queued);
            prop_assert_eq!(queued, alone.decision == Decision::Deny && told.is_some());
            prop_assert_eq!(alone.remaining, record.remaining);
        }
        let messages = queue.result.messages().unwrap();
        prop_assert_eq!(messages.queued + messages.overflow, drop.counts().1);
        prop_assert_eq!(queue.result.tally.denied, messages.overflow);
        prop_assert_eq!(queue.result.tally.too_large, 0);
        // What the depth comes to at the end is what is left.
        let last = messages.depth.steps().last().map_or(0, |(_, depth)| *depth);
        prop_assert_eq!(u64::try_from(last).unwrap(), messages.left());
        prop_assert_eq!(messages.depth.peak(), i64::try_from(messages.depth_peak).unwrap());
    }

    /// A backend changes no answer, and is what a plain one makes of the answers, wherever the limiter
    /// stands and whatever becomes of what is over the limit.
    #[test]
    fn a_backend_is_what_a_plain_one_makes_of_the_answers(
        seed in 0u64..1 << 40,
        rate in 3u32..30,
        workers in 1usize..4,
        room in 0usize..12,
        service in 1u64..400,
        kind in 0usize..6,
        queues in any::<bool>(),
    ) {
        let over = match queues {
            true => "[over_limit]\naction = 'queue'\ncapacity = 7\ndrain_rate = '3/s'",
            false => "",
        };
        let backend = format!(
            "{over}\n[backend]\nworkers = {workers}\nservice_time = '{service}ms'\nqueue = {room}"
        );
        let places = "[[deployment]]\nname = 'server'\nplacement = 'server'\ndeny_cost = '1/3'\n\
                      [[deployment]]\nname = 'middleware'\nplacement = 'middleware'\nhop = '7ms'\n";
        let run = with_algorithm(&text(seed, rate, &backend), ALGORITHMS[kind], places);
        let setting = Setting { workers, room, end: 12_000_000_000 };
        let service = service * 1_000_000;
        let at_once = Place::default();
        hold(&run, "drop", setting, service, at_once);
        hold(&run, "server", setting, service, Place { deny_cost: Some((1, 3)), ..at_once });
        hold(&run, "middleware", setting, service, Place { hop: 7_000_000, ..at_once });
        let plain = with_algorithm(&text(seed, rate, over), ALGORITHMS[kind], "");
        let alone = plain.of(ALGORITHMS[kind]);
        for name in ["drop", "server", "middleware"] {
            prop_assert_eq!(run.of(name).letters(), alone.letters());
        }
    }

    /// Who goes past a limiter in the client is decided request by request: all at a share of 1, none at 0,
    /// and at any share those of a smaller one too.
    #[test]
    fn a_greater_share_goes_past_the_limiter_with_all_of_a_smaller_one(
        seed in 0u64..1 << 40, few in 0u64..=10, more in 0u64..=10
    ) {
        let (few, more) = (few.min(more), few.max(more));
        let client = |name: &str, tenths: u64, by: &str| format!(
            "[[deployment]]\nname = '{name}'\nplacement = 'client'\nbypass = '{tenths}/10'\nbypass_by = '{by}'\n"
        );
        let deployments = [
            client("none", 0, "all"),
            client("few", few, "all"),
            client("more", more, "all"),
            client("all", 10, "all"),
            client("illegitimate", 10, "illegitimate"),
        ];
        let backend = "[backend]\nservice_time = '1ms'";
        let run = with_algorithm(&text(seed, 9, backend), "fixed_window", &deployments.concat());
        let past = |name: &str| -> Vec<bool> {
            let answers = run.of(name);
            let past: Vec<bool> = answers
                .each()
                .map(|(_, record)| record.reason == Some(Reason::Bypass))
                .collect();
            let count = past.iter().filter(|past| **past).count() as u64;
            assert_eq!(answers.result.backend().unwrap().bypassed, count);
            past
        };
        prop_assert!(past("none").iter().all(|past| !past));
        prop_assert!(past("all").iter().all(|past| *past));
        prop_assert_eq!(run.of("none").letters(), run.of("drop").letters());
        prop_assert!(past("few").iter().zip(past("more")).all(|(few, more)| !few || more));
        let blocks = run.of("drop").each().map(|(arrival, _)| arrival.mark).collect::<Vec<_>>();
        for (past, mark) in past("illegitimate").iter().zip(blocks) {
            prop_assert_eq!(*past, run.result.marks[mark.0 as usize].block == 1);
        }
    }
}

/// A share of requests: a binomial count of 20,000 at 0.3 has a standard deviation of 65.
#[test]
fn the_share_that_goes_past_the_limiter_is_the_one_stated() {
    let run = Ran::measured(
        "limit = '1/1s'\nmeasure = 'counts'\n[backend]\nservice_time = '1ms'\n\
         [[traffic]]\npattern = 'burst'\ncount = 20000\n[[algorithm]]\nkind = 'fixed_window'\n\
         [[deployment]]\nplacement = 'client'\nbypass = 0.3\n",
    );
    let backend = run.of("fixed_window").result.backend().unwrap();
    let apart = backend.bypassed.abs_diff(6_000);
    assert!(apart < 4 * 65, "{apart}");
}

/// Service times belong to requests: where the limiter admits everything, the backend behind it does just what
/// it does without one.
#[test]
fn the_same_request_takes_as_long_with_a_limiter_as_without() {
    let run = Ran::text(
        "limit = '1000/1s'\nduration = '1m'\n[backend]\nworkers = 3\n\
         service_time = { kind = 'lognormal', median = '10ms', p99 = '300ms' }\n\
         [[traffic]]\npattern = 'poisson'\nrate = '100/s'\n[[algorithm]]\nkind = 'fixed_window'\n\
         [[algorithm]]\nkind = 'gcra'\n[[deployment]]\nplacement = 'gateway'\n",
    );
    for (name, answers) in run.all() {
        let backend = answers.result.backend().unwrap();
        let waits =
            |served: &ratesim::measure::Served| -> Vec<_> { served.responses.waits().collect() };
        assert_eq!(waits(&backend.with), waits(&backend.without), "{name}");
        assert!(
            backend.with.busy > 0 && backend.with.busy == backend.without.busy,
            "{name}"
        );
    }
}

/// What rules deny together is one message each, which none of them has denied in the end.
#[test]
fn under_rules_what_is_queued_was_denied_by_none() {
    let run = Ran::text(
        "duration = '20s'\n[[traffic]]\npattern = 'poisson'\nrate = '9/s'\nendpoint = '/a'\n\
         [[rule]]\nname = 'short'\nlimit = '2/1s'\n[[rule]]\nname = 'long'\nlimit = '15/10s'\n\
         [[algorithm]]\nkind = 'sliding_window_counter'\n[[deployment]]\nname = 'drop'\n\
         [[deployment]]\nname = 'queue'\n\
         over_limit = { action = 'queue', capacity = 1000, drain_rate = '1/s' }\n",
    );
    let (drop, queue) = (run.of("drop"), run.of("queue"));
    let denied = drop.counts().1;
    assert!(denied > 50, "{denied}");
    assert_eq!(queue.result.messages().unwrap().queued, denied);
    assert_eq!(queue.counts(), (run.result.requests, 0));
    assert_eq!(queue.result.tally.false_deny, 0);
    for chapter in &queue.result.chapters {
        let tally = chapter.tally;
        assert_eq!((tally.denied, tally.false_deny), (0, 0), "{}", chapter.name);
        assert_eq!(tally.allowed, run.result.requests, "{}", chapter.name);
    }
}

/// By hand: two of five pass, two wait to be taken at 1 s and 2 s, and the fifth is told to come again when
/// there is room, after 1 s and long before the limiter would let it pass: it is taken at 3 s. Nobody is lost; without a limiter there is nothing to try again.
#[test]
fn who_found_no_room_is_told_when_there_is_some() {
    let run = Ran::text(
        "limit = '2/10s'\nduration = '10s'\n[client]\nretry = 'retry_after'\n\
         [over_limit]\naction = 'queue'\ncapacity = 2\ndrain_rate = '1/s'\n\
         [backend]\nservice_time = '1ms'\n\
         [[traffic]]\npattern = 'burst'\ncount = 5\nlegitimate = true\n\
         [[algorithm]]\nkind = 'fixed_window'\n",
    );
    let answers = run.of("fixed_window");
    let messages = answers.result.messages().unwrap();
    assert_eq!((messages.queued, messages.overflow), (3, 1));
    let waits: Vec<_> = messages.waits.waits().collect();
    let millis = ratesim::units::Nanos::from_millis;
    assert_eq!(waits, [(millis(1_000), 1), (millis(2_000), 2)]);
    let backend = answers.result.backend().unwrap();
    for served in [&backend.with, &backend.without] {
        let counts = (served.served, served.legitimate, served.legitimate_lost);
        assert_eq!(counts, (5, 5, 0));
    }
}
