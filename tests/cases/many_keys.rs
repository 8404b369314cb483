//! More keys than a file should list.

use crate::ran::Ran;
use ratesim::report::csv::{self, MOST_KEYS};
use std::collections::HashSet;

/// 250,000 requests over 150,000 keys leave about 122,000 that came (150,000 · (1 − e^(−5/3))), more
/// than are listed, and about 13,000 of them came four times or more, beyond the limit of three.
#[test]
fn of_too_many_keys_the_denied_ones_are_listed() {
    let ran = Ran::measured(
        "limit = \"3/1h\"\nduration = \"10s\"\nseed = 1\n\
         [[traffic]]\npattern = \"poisson\"\nrate = \"25000/s\"\nkeys = { count = 150000 }\n\
         [[algorithm]]\nkind = \"fixed_window\"\n",
    );
    let tallies = &ran.result.candidates[0].per_key;
    let came = tallies.iter().filter(|key| key.requests > 0).count();
    assert!(came > MOST_KEYS, "{came}");
    let denied: HashSet<&str> = tallies
        .iter()
        .zip(ran.result.keys.iter())
        .filter(|(key, _)| key.denied > 0)
        .map(|(_, name)| name)
        .collect();
    assert!(denied.len() > 10_000, "{}", denied.len());

    let mut file = Vec::new();
    csv::keys(&ran.result, &mut file).unwrap();
    let text = String::from_utf8(file).unwrap();
    let listed: HashSet<&str> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(listed.len(), MOST_KEYS);
    assert!(denied.is_subset(&listed));
}
