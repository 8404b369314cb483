//! What a key is made of.

/// One part of a rule's key. A key without any part is one for all requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Who the traffic says it is: what `keys` names.
    Client,
    /// The address that it comes from, cut to the rule's prefix.
    Ip,
    /// The user.
    User,
    /// The key that it shows.
    ApiKey,
    /// The path that is asked for, as the request names it and not as the rule's pattern does.
    Endpoint,
    /// The method, such as GET.
    Method,
}

impl Part {
    /// All of them with their names in a scenario.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Client, "client"),
        (Self::Ip, "ip"),
        (Self::User, "user"),
        (Self::ApiKey, "api_key"),
        (Self::Endpoint, "endpoint"),
        (Self::Method, "method"),
    ];

    /// Its name in a scenario.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(part, _)| *part == self);
        found.map_or("", |(_, name)| name)
    }
}
