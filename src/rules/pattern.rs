//! Patterns of endpoints.

use crate::params::{FromValue, Value};
use std::fmt;
use std::str::FromStr;

/// A pattern of paths, compared segment by segment.
///
/// `/api/posts` is that path; `/users/*/posts`, `/users/{id}/posts` and `/users/:id/posts` have any one
/// segment there, which is not empty; `/api/**` is `/api` and all that lies below; `**` alone is every
/// request, also one that names no endpoint. A slash at the end says nothing. Letters are compared as
/// they are written, and percent signs are not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    segments: Vec<Segment>,
    /// Whether more segments may follow.
    is_open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// This one.
    Exactly(String),
    /// Any that is not empty.
    Any,
}

/// The path that an endpoint names: what stands before its query, without slashes at the end.
pub fn path(endpoint: &str) -> &str {
    let end = endpoint.find(['?', '#']).unwrap_or(endpoint.len());
    let path = &endpoint[..end];
    match path.trim_end_matches('/') {
        "" => &path[..path.len().min(1)],
        path => path,
    }
}

/// The segments of a path; the root has one that is empty.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.trim_end_matches('/').split('/')
}

impl Pattern {
    /// The pattern of every request.
    pub fn everything() -> Self {
        Self {
            text: "**".to_owned(),
            segments: Vec::new(),
            is_open: true,
        }
    }

    /// Whether it is the pattern of every request.
    pub fn is_everything(&self) -> bool {
        self.is_open && self.segments.is_empty()
    }

    /// Whether it matches a request for this endpoint.
    pub fn matches(&self, endpoint: Option<&str>) -> bool {
        let Some(endpoint) = endpoint else {
            return self.is_everything();
        };
        let mut found = segments(path(endpoint));
        let agree = self.segments.iter().all(|wanted| match found.next() {
            Some(segment) => match wanted {
                Segment::Exactly(text) => text == segment,
                Segment::Any => !segment.is_empty(),
            },
            None => false,
        });
        agree && (self.is_open || found.next().is_none())
    }
}

impl FromStr for Pattern {
    type Err = String;

    /// Reads a pattern; the error says what is wrong with it and what is allowed.
    fn from_str(text: &str) -> Result<Self, String> {
        const ALLOWED: &str = "a path such as \"/api/posts\", with `*`, `{id}` or `:id` for any one \
                               segment, and `/**` at the end for all below";
        let wrong = |why: &str| Err(format!("`{text}` {why}; allowed: {ALLOWED}"));
        if text.is_empty() {
            return wrong("is empty");
        }
        if text.contains(['?', '#']) {
            return wrong("has a query, which endpoints are compared without");
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return wrong("has a blank in it");
        }
        let mut pieces: Vec<&str> = segments(text).collect();
        let is_open = pieces.last() == Some(&"**");
        if is_open {
            pieces.pop();
        }
        let mut read = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let is_named = piece.starts_with(':') && piece.len() > 1
                || piece.len() > 2 && piece.starts_with('{') && piece.ends_with('}');
            read.push(match piece {
                "*" => Segment::Any,
                "**" => return wrong("has `**` before its end"),
                _ if is_named => Segment::Any,
                _ if piece.contains(['*', '{', '}']) => {
                    return wrong("has a wildcard that is only a part of a segment");
                }
                _ => Segment::Exactly(piece.to_owned()),
            });
        }
        Ok(Self {
            text: text.to_owned(),
            segments: read,
            is_open,
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromValue for Pattern {
    const EXPECTED: &'static str = "a path such as \"/api/posts\" or \"/api/**\"";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => text.parse(),
            _ => Err(format!(
                "found {}, expected {}",
                value.describe(),
                Self::EXPECTED
            )),
        }
    }

    fn to_toml(&self) -> toml::Value {
        self.text.clone().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, matched: &[&str], others: &[&str]) {
        let read: Pattern = pattern.parse().unwrap();
        for endpoint in matched {
            assert!(read.matches(Some(endpoint)), "{pattern} is for {endpoint}");
        }
        for endpoint in others {
            assert!(
                !read.matches(Some(endpoint)),
                "{pattern} is not for {endpoint}"
            );
        }
    }

    #[test]
    fn a_path_is_itself_whatever_its_query_and_the_slash_at_its_end() {
        check(
            "/api/posts",
            &[
                "/api/posts",
                "/api/posts/",
                "/api/posts?page=2",
                "/api/posts#top",
                "/api/posts/?a=/x",
            ],
            &[
                "/api/post",
                "/api/posts/1",
                "/api",
                "/API/posts",
                "api/posts",
                "/x/api/posts",
                "",
                "/api//posts",
            ],
        );
        check("/api/posts/", &["/api/posts"], &["/api"]);
        check("/", &["/", "/?q=1"], &["/a", "/a/"]);
        check(
            "checkout",
            &["checkout", "checkout?x"],
            &["/checkout", "checkouts"],
        );
    }

    #[test]
    fn a_wildcard_is_any_one_segment() {
        for pattern in ["/users/*/posts", "/users/{id}/posts", "/users/:id/posts"] {
            check(
                pattern,
                &["/users/7/posts", "/users/a.b/posts/", "/users/*/posts"],
                &[
                    "/users/posts",
                    "/users//posts",
                    "/users/7/8/posts",
                    "/users/7",
                    "/users/7/posts/1",
                ],
            );
        }
        check("/*", &["/a", "/a/"], &["/", "/a/b", "a"]);
        check("/v1:batch", &["/v1:batch"], &["/v1:other"]);
        check("/a/:", &["/a/:"], &["/a/b"]);
    }

    #[test]
    fn two_stars_at_the_end_are_the_path_and_all_below() {
        check(
            "/api/**",
            &["/api", "/api/", "/api/a", "/api/a/b/c", "/api//", "/api?x"],
            &["/apis", "/", "/ap", ""],
        );
        check("/**", &["/", "/a/b", ""], &["a/b"]);
        check(
            "/*/admin/**",
            &["/x/admin", "/x/admin/y"],
            &["/admin", "/x/y/admin"],
        );
        check("**", &["", "/", "a", "/a/b"], &[]);
    }

    #[test]
    fn only_the_pattern_of_everything_is_for_requests_without_endpoint() {
        for (pattern, expected) in [("**", true), ("/**", false), ("/", false), ("*", false)] {
            assert_eq!(
                pattern.parse::<Pattern>().unwrap().matches(None),
                expected,
                "{pattern}"
            );
        }
        assert_eq!("**".parse(), Ok(Pattern::everything()));
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_what_is_allowed() {
        for (text, why) in [
            ("", "is empty"),
            ("/a?b=1", "has a query"),
            ("/a b", "has a blank"),
            ("/a\tb", "has a blank"),
            ("/**/b", "has `**` before its end"),
            ("/a/***", "only a part of a segment"),
            ("/img/*.png", "only a part of a segment"),
            ("/a{id}", "only a part of a segment"),
            ("/{}", "only a part of a segment"),
        ] {
            let message = text.parse::<Pattern>().unwrap_err();
            assert!(
                message.contains(why) && message.contains("allowed: "),
                "{text}: {message}"
            );
        }
    }
}
