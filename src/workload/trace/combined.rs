//! Access logs in the combined format of Apache and nginx, and the common format it extends:
//!
//! `host ident user [10/Oct/2000:13:55:36 -0700] "GET /path?query HTTP/1.0" 200 2326 "referrer" "agent"`
//!
//! The key is the host, the endpoint the path without its query. A request that is no
//! `METHOD path protocol` (a scanner's bytes, `-` for a connection that said nothing) has neither
//! endpoint nor method, but counts. What follows the agent is not looked at.

use super::Record;
use super::time::{Clock, excerpt};
use memchr::{memchr, memchr_iter, memchr2, memrchr_iter};
use std::borrow::Cow;

/// Reads one line; the error says what is wrong with it. Without `targets`, endpoint and method are
/// not looked for.
pub(super) fn parse<'a>(
    line: &'a [u8],
    clock: &mut Clock,
    targets: bool,
) -> Result<Record<'a>, String> {
    let (host, rest) = split_at(line, b' ').ok_or("there is only one word")?;
    if host.is_empty() {
        return Err("it begins with a blank, not with a host".to_owned());
    }
    let (_, rest) = split_at(rest, b'[').ok_or("there is no [time]")?;
    let (time, rest) = memchr_iter(b']', rest)
        .find(|end| rest.get(end + 1) == Some(&b' '))
        .map(|end| (&rest[..end], &rest[end + 2..]))
        .ok_or("the [time] does not end")?;
    let at = clock.log_time(time)?;
    let (request, rest) = quoted(rest).ok_or("the \"request\" does not begin or end")?;
    let (status, rest) = word(rest.strip_prefix(b" ").unwrap_or(b""));
    if status.len() != 3 || !status.iter().all(u8::is_ascii_digit) {
        return Err(format!("{} is not a status", excerpt(status)));
    }
    let (size, rest) = word(rest);
    if size != b"-" && (size.is_empty() || !size.iter().all(u8::is_ascii_digit)) {
        return Err(format!("{} is not a size", excerpt(size)));
    }
    if !rest.is_empty() {
        let (_, rest) = quoted(rest).ok_or("the \"referrer\" does not begin or end")?;
        let rest = rest.strip_prefix(b" ").unwrap_or(b"");
        quoted(rest).ok_or("the \"agent\" does not begin or end")?;
    }
    let target = targets.then(|| target(request)).flatten();
    Ok(Record {
        at,
        key: Some(Cow::Borrowed(host)),
        endpoint: target.map(|(_, path)| Cow::Borrowed(path)),
        method: target.map(|(method, _)| Cow::Borrowed(method)),
        cost: None,
    })
}

/// What stands before and behind the first such byte.
fn split_at(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    memchr(byte, text).map(|end| (&text[..end], &text[end + 1..]))
}

/// The text up to a blank or the end, and what stands behind the blank. Words are short here.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| *byte == b' ') {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, b""),
    }
}

/// The text between the quotes at the front, and what follows them. A backslash escapes a quote.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"\"")?;
    let mut from = 0;
    loop {
        let end = from + memchr2(b'"', b'\\', text.get(from..)?)?;
        if text[end] == b'"' {
            return Some((&text[..end], &text[end + 1..]));
        }
        from = end + 2;
    }
}

/// The method and the path of a request line.
fn target(request: &[u8]) -> Option<(&[u8], &[u8])> {
    let (method, rest) = split_at(request, b' ')?;
    let is_method = !method.is_empty() && method.iter().all(u8::is_ascii_alphabetic);
    let protocol = memrchr_iter(b' ', rest).find(|begin| rest[*begin..].starts_with(b" HTTP/"));
    let target = &rest[..protocol.unwrap_or(rest.len())];
    let path = split_at(target, b'?').map_or(target, |(path, _)| path);
    (is_method && !path.is_empty()).then_some((method, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::trace::time::Stamp;
    use proptest::prelude::*;

    fn parse(line: &str) -> Result<Record<'_>, String> {
        super::parse(line.as_bytes(), &mut Clock::default(), true)
    }

    /// The example of the Apache documentation.
    const LINE: &str = "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \
        \"GET /apache_pb.gif?a=1 HTTP/1.0\" 200 2326 \"http://www.example.com/start.html\" \
        \"Mozilla/4.08 [en] (Win98; I ;Nav)\"";

    #[test]
    fn the_host_is_the_key_and_the_path_the_endpoint() {
        let record = parse(LINE).unwrap();
        assert_eq!(record.at, Stamp::Unix(971_211_336_000_000_000));
        assert_eq!(record.key.as_deref(), Some(&b"127.0.0.1"[..]));
        assert_eq!(record.endpoint.as_deref(), Some(&b"/apache_pb.gif"[..]));
        assert_eq!(record.method.as_deref(), Some(&b"GET"[..]));
        assert_eq!(record.cost, None);
    }

    #[test]
    fn the_common_format_is_read_too() {
        let line = "::1 - - [10/Oct/2000:13:55:36 +0000] \"POST / HTTP/2.0\" 304 -";
        let record = parse(line).unwrap();
        assert_eq!(record.key.as_deref(), Some(&b"::1"[..]));
        assert_eq!(record.method.as_deref(), Some(&b"POST"[..]));
    }

    #[test]
    fn requests_that_say_nothing_still_count() {
        for request in ["-", "", r"\x16\x03\x01", r#"\"quoted\" x"#] {
            let line =
                format!("h - - [10/Oct/2000:13:55:36 +0000] \"{request}\" 400 0 \"-\" \"-\"");
            let record = parse(&line).unwrap();
            assert_eq!((record.endpoint, record.method), (None, None), "{request}");
        }
    }

    #[test]
    fn a_line_cut_off_anywhere_before_its_last_quote_is_malformed() {
        let common = LINE.find(" \"http").unwrap();
        for end in 0..LINE.len() {
            // A cut right behind the size, or within it, leaves a line in the common format.
            if !(common - 4..=common + 1).contains(&end) || end == common - 4 {
                assert!(parse(&LINE[..end]).is_err(), "{}", &LINE[..end]);
            }
        }
    }

    proptest! {
        #[test]
        fn no_line_crashes_the_reader(line in ".{0,80}", cut in 0usize..LINE.len(), with in "\\PC{0,3}") {
            let _ = parse(&line);
            let _ = parse(&format!("{}{with}{}", &LINE[..cut], &LINE[cut..]));
        }
    }
}
