//! Patterns of endpoints.

use std::fmt;
use std::str::FromStr;

/// A pattern of paths, compared segment by segment.
///
/// `/api/posts` is that path; `/users/*/posts`, `/users/{id}/posts` and `/users/:id/posts` have any one
/// segment there, which is not empty; `/api/**` is `/api` and all that lies below. A slash at the end
/// says nothing. Letters are compared as they are written, and percent signs are not decoded.
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
    /// Whether it matches the path of this endpoint.
    pub fn matches(&self, endpoint: &str) -> bool {
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
