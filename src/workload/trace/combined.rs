//! Access logs in the combined format of Apache and nginx, and the common format it extends:
//!
//! `host ident user [10/Oct/2000:13:55:36 -0700] "GET /path?query HTTP/1.0" 200 2326 "referrer" "agent"`
//!
//! The key is the host, the endpoint the path without its query. A request that is no
//! `METHOD path protocol` (a scanner's bytes, `-` for a connection that said nothing) has neither
//! endpoint nor method, but counts. What follows the agent is not looked at.

use super::Record;
use super::time::{excerpt, parse_log_time};
use std::borrow::Cow;

/// Reads one line; the error says what is wrong with it.
pub(super) fn parse(line: &str) -> Result<Record<'_>, String> {
    let (host, rest) = line.split_once(' ').ok_or("there is only one word")?;
    if host.is_empty() {
        return Err("it begins with a blank, not with a host".to_owned());
    }
    let (_, rest) = rest.split_once('[').ok_or("there is no [time]")?;
    let (time, rest) = rest.split_once("] ").ok_or("the [time] does not end")?;
    let at = parse_log_time(time)?;
    let (request, rest) = quoted(rest).ok_or("the \"request\" does not begin or end")?;
    let mut words = rest.strip_prefix(' ').unwrap_or("").splitn(3, ' ');
    let status = words.next().unwrap_or("");
    if status.len() != 3 || !status.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{} is not a status", excerpt(status)));
    }
    let size = words.next().unwrap_or("");
    if size != "-" && (size.is_empty() || !size.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("{} is not a size", excerpt(size)));
    }
    if let Some(rest) = words.next().filter(|rest| !rest.is_empty()) {
        let (_, rest) = quoted(rest).ok_or("the \"referrer\" does not begin or end")?;
        let rest = rest.strip_prefix(' ').unwrap_or("");
        quoted(rest).ok_or("the \"agent\" does not begin or end")?;
    }
    let (method, endpoint) = target(request).map_or((None, None), |(method, path)| {
        (Some(Cow::Borrowed(method)), Some(Cow::Borrowed(path)))
    });
    Ok(Record {
        at,
        key: Some(Cow::Borrowed(host)),
        endpoint,
        method,
        cost: None,
    })
}

/// The text between the quotes at the front, and what follows them. A backslash escapes a quote.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((&text[..end], &text[end + 1..]))
}

/// The method and the path of a request line.
fn target(request: &str) -> Option<(&str, &str)> {
    let (method, rest) = request.split_once(' ')?;
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_alphabetic());
    let target = rest
        .rsplit_once(" HTTP/")
        .map_or(rest, |(target, _)| target);
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    (is_method && !path.is_empty()).then_some((method, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::trace::time::Stamp;
    use proptest::prelude::*;

    /// The example of the Apache documentation.
    const LINE: &str = "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \
        \"GET /apache_pb.gif?a=1 HTTP/1.0\" 200 2326 \"http://www.example.com/start.html\" \
        \"Mozilla/4.08 [en] (Win98; I ;Nav)\"";

    #[test]
    fn the_host_is_the_key_and_the_path_the_endpoint() {
        let record = parse(LINE).unwrap();
        assert_eq!(record.at, Stamp::Unix(971_211_336_000_000_000));
        assert_eq!(record.key.as_deref(), Some("127.0.0.1"));
        assert_eq!(record.endpoint.as_deref(), Some("/apache_pb.gif"));
        assert_eq!(record.method.as_deref(), Some("GET"));
        assert_eq!(record.cost, None);
    }

    #[test]
    fn the_common_format_is_read_too() {
        let line = "::1 - - [10/Oct/2000:13:55:36 +0000] \"POST / HTTP/2.0\" 304 -";
        let record = parse(line).unwrap();
        assert_eq!(record.key.as_deref(), Some("::1"));
        assert_eq!(record.method.as_deref(), Some("POST"));
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
