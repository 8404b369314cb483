//! Who requests are: constant, drawn, or their key.

use super::{arrivals, message, read, workload};
use crate::workload::Workload;

/// Client, address, user and API key of each request.
fn people(workload: &Workload, seed: u64) -> Vec<[String; 4]> {
    let names = workload.part_names();
    let mut identities = workload.identities(seed);
    let all = arrivals(workload, seed).into_iter();
    let people = all.map(|arrival| {
        let who = identities.draw(&arrival);
        [who.client, who.ip, who.user, who.api_key].map(|part| names.name(part).to_owned())
    });
    people.collect()
}

const OFFICE: &str = "[[traffic]]\npattern = 'steady'\nrate = '1000/s'\nto = '1s'\n\
                      keys = { count = 3, prefix = 'laptop-' }\nip = '203.0.113.7'\n\
                      user = { count = 4, popularity = 'hot', share = 0.5 }\n";

#[test]
fn what_a_block_does_not_say_is_the_requests_key() {
    for who in people(&workload(OFFICE), 7) {
        let [client, ip, user, api_key] = who.each_ref().map(String::as_str);
        assert!(
            ["laptop-1", "laptop-2", "laptop-3"].contains(&client),
            "{who:?}"
        );
        assert_eq!((ip, api_key), ("203.0.113.7", client), "{who:?}");
        assert!(
            ["user-1", "user-2", "user-3", "user-4"].contains(&user),
            "{who:?}"
        );
    }
}

/// Half of 1,000 independent draws lie within 500 ± 5 · √250 of all seeds but one in a million.
#[test]
fn parts_are_drawn_by_their_popularity_and_apart_from_keys() {
    let people = people(&workload(OFFICE), 3);
    let count = |client: &str, user: &str| {
        let those = people
            .iter()
            .filter(|who| (client.is_empty() || who[0] == client) && who[2] == user);
        those.count()
    };
    assert_eq!(people.len(), 1_000);
    assert!(
        (421..=579).contains(&count("", "user-1")),
        "{}",
        count("", "user-1")
    );
    // A third of them come from each laptop: 166.7 ± 5 · √(1000 · 1/6 · 5/6).
    for client in ["laptop-1", "laptop-2", "laptop-3"] {
        let both = count(client, "user-1");
        assert!((108..=225).contains(&both), "{client}: {both}");
    }
}

#[test]
fn the_same_seed_draws_the_same_people_and_another_one_others() {
    let workload = workload(OFFICE);
    assert_eq!(people(&workload, 1), people(&workload, 1));
    assert_ne!(people(&workload, 1), people(&workload, 2));
}

#[test]
fn who_requests_are_moves_no_key_and_no_part_another() {
    let keys = |text: &str| {
        people(&workload(text), 5)
            .into_iter()
            .map(|[client, ..]| client)
    };
    let without = OFFICE.lines().take(5).collect::<Vec<_>>().join("\n");
    assert!(keys(OFFICE).eq(keys(&without)));
    let more = format!("{OFFICE}api_key = {{ count = 9 }}\n");
    let users = |text: &str| {
        people(&workload(text), 5)
            .into_iter()
            .map(|[_, _, user, _]| user)
    };
    assert!(users(OFFICE).eq(users(&more)));
}

/// A text is one part wherever it stands: a key, an address, a user of another block.
#[test]
fn names_of_parts_are_no_keys_of_the_run() {
    let resolved = read(
        "[[traffic]]\npattern = 'burst'\nkeys = 'a'\nuser = 'b'\nip = 'c'\n\
         [[traffic]]\npattern = 'burst'\nkeys = 'b'\nuser = 'a'\nip = 'c'\napi_key = { count = 2 }\n",
    );
    let workload = resolved.unwrap().workload;
    assert_eq!(*workload.keys(), ["a", "b"]);
    let mut identities = workload.identities(0);
    let all = arrivals(&workload, 0);
    let (first, second) = (identities.draw(&all[0]), identities.draw(&all[1]));
    assert_eq!((first.client, first.user), (second.user, second.client));
    assert_eq!(first.ip, second.ip);
    assert!(people(&workload, 0)[1][3].starts_with("api-key-"));
}

#[test]
fn addresses_of_a_network_are_keys_like_others() {
    let text = "[[traffic]]\npattern = 'steady'\nrate = '100/s'\nto = '1s'\n\
                keys = { count = 4, network = '2001:db8::/48' }\n";
    let workload = workload(text);
    let all = [
        "2001:db8::",
        "2001:db8:0:4000::",
        "2001:db8:0:8000::",
        "2001:db8:0:c000::",
    ];
    assert_eq!(*workload.keys(), all);
    for (field, part) in [
        ("prefix = 'x'", "keys.prefix: is for counted names"),
        (
            "count = 5",
            "keys.network: has 4 addresses, fewer than `count`",
        ),
        (
            "network = '10.0.0.1/30'",
            "keys.network: found \"10.0.0.1/30\"",
        ),
        ("network = 5", "keys.network: found 5, expected a network"),
    ] {
        let fields = if field.starts_with("prefix") {
            format!("count = 2, network = '10.0.0.0/30', {field}")
        } else if field.starts_with("count") {
            format!("network = '10.0.0.0/30', {field}")
        } else {
            format!("count = 2, {field}")
        };
        let text = format!("[[traffic]]\npattern = 'burst'\nkeys = {{ {fields} }}\n");
        let found = message(&text);
        assert!(found.contains(part), "{field}: {found}");
    }
}
