//! One rule of a scenario or a rules file.

use crate::catalog::{ALGORITHMS, algorithm};
use crate::error::Result;
use crate::params::{Contract, FromValue, Params, Value, unknown};
use crate::rules::{OwnAlgorithm, Part, Pattern, Prefixes, Rule};
use crate::scenario::candidates::check_name;
use crate::units::{Epoch, Limit, Nanos, Share};
use std::collections::BTreeMap;

/// Reads a rule; unknown fields are left for the table's end.
pub(super) fn read(params: &mut Params) -> Result<Rule> {
    let pattern = params.or("endpoint", Pattern::everything())?;
    let methods = methods(params)?;
    let usual = usual_name(&pattern, &methods);
    let name = params.or("name", usual)?;
    check_name(params, &name)?;
    let limit = limit(params)?;
    let key = key(params)?;
    let cost = params.optional::<u64>("cost")?;
    if cost.is_some_and(|cost| cost > Limit::MAX_UNITS) {
        let message = format!("is out of range; allowed: 0 to {}", Limit::MAX_UNITS);
        return Err(params.error("cost", message));
    }
    Ok(Rule {
        name: name.into(),
        prefixes: prefixes(params, &key)?,
        pattern,
        methods,
        key,
        limit,
        cost,
        algorithm: own_algorithm(params, limit)?,
        is_default: params.or("default", false)?,
    })
}

/// What a rule without a name is called: by what it is for.
fn usual_name(pattern: &Pattern, methods: &[String]) -> String {
    let endpoints = if pattern.is_everything() {
        "all".to_owned()
    } else {
        pattern.to_string()
    };
    match methods {
        [] => endpoints,
        methods => format!("{} {endpoints}", methods.join("+")),
    }
}

/// One text, or several.
struct Texts(Vec<String>);

impl FromValue for Texts {
    const EXPECTED: &'static str = "a text, or a list of texts";

    fn from_value(value: &Value) -> std::result::Result<Self, String> {
        match value {
            Value::Text(text) => Ok(Self(vec![text.clone()])),
            Value::Array(_) => Vec::from_value(value).map(Self),
            _ => Err(format!(
                "found {}, expected {}",
                value.describe(),
                Self::EXPECTED
            )),
        }
    }

    fn to_toml(&self) -> toml::Value {
        self.0.to_toml()
    }
}

/// Reads `methods`, which may be called `method` where it is one.
fn methods(params: &mut Params) -> Result<Vec<String>> {
    let (one, several) = (params.raw("method"), params.raw("methods"));
    if one.is_some() && several.is_some() {
        let message = "says the same as `methods`; leave one of them out";
        return Err(params.error("method", message));
    }
    let name = if one.is_some() { "method" } else { "methods" };
    let Some(node) = one.or(several) else {
        return Ok(Vec::new());
    };
    let Texts(texts) =
        Texts::from_value(&node.value).map_err(|message| params.error(name, message))?;
    if texts.is_empty() {
        let message = "found an empty list, which is for no request; leave it out for all methods";
        return Err(params.error(name, message));
    }
    let mut methods: Vec<String> = Vec::with_capacity(texts.len());
    for text in texts {
        if text.is_empty()
            || !text
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
        {
            let message = format!("found {text:?}, expected a method such as \"GET\"");
            return Err(params.error(name, message));
        }
        let method = text.to_ascii_uppercase();
        if methods.contains(&method) {
            return Err(params.error(name, format!("has {method} twice")));
        }
        methods.push(method);
    }
    params.resolve("methods", methods.to_toml());
    Ok(methods)
}

/// Reads `limit`, which is "n/w" or goes with a `window`.
fn limit(params: &mut Params) -> Result<Limit> {
    let window = params.raw("window");
    let Some(node) = params.raw("limit") else {
        if let Some(slip) = params.slip("limit") {
            return Err(slip);
        }
        let message = "is required: such as \"5/1m\", or a whole number beside a `window`";
        return Err(params.error("limit", message));
    };
    let is_whole = match &node.value {
        Value::Text(text) => !text.contains('/'),
        value => matches!(value, Value::Number(_)),
    };
    let Some(window) = window else {
        if is_whole {
            if let Some(slip) = params.slip("window") {
                return Err(slip);
            }
            let found = node.value.describe();
            let message = format!(
                "found {found}, which has no window; give it a `window` such as \"60s\", or write \
                 it as \"5/1m\""
            );
            return Err(params.error("limit", message));
        }
        return params.required("limit");
    };
    if !is_whole && matches!(node.value, Value::Text(_)) {
        let found = node.value.describe();
        let message = format!("the limit, {found}, has its window already; leave one of them out");
        return Err(params.error("window", message));
    }
    let units = params.whole("limit", 0, Limit::MAX_UNITS, 0)?;
    let window =
        Nanos::from_value(&window.value).map_err(|message| params.error("window", message))?;
    if window == Nanos::ZERO || window > Limit::MAX_WINDOW {
        let message = format!("found {window}; allowed: longer than 0s, and up to 366 days");
        return Err(params.error("window", message));
    }
    let limit = Limit { units, window };
    params.resolve("limit", limit.to_toml());
    Ok(limit)
}

/// Reads `key`: the parts that requests are counted by.
fn key(params: &mut Params) -> Result<Vec<Part>> {
    let Texts(names) = params.or("key", Texts(vec!["client".to_owned()]))?;
    params.resolve("key", names.to_toml());
    let mut key: Vec<Part> = Vec::with_capacity(names.len());
    for name in &names {
        let found = Part::ALL.iter().find(|(_, known)| known == name);
        let Some((part, _)) = found else {
            if name == "global" && names.len() == 1 {
                return Ok(Vec::new());
            }
            let message = if name == "global" {
                "has \"global\", one key for all, beside other parts; leave it out".to_owned()
            } else {
                let known = Part::ALL.iter().map(|(_, known)| *known);
                let known: Vec<_> = known.chain(["global"]).collect();
                unknown(name, &known)
            };
            return Err(params.error("key", message));
        };
        if key.contains(part) {
            return Err(params.error("key", format!("has \"{name}\" twice")));
        }
        key.push(*part);
    }
    if key.is_empty() {
        let message = "found an empty list; \"global\" is one key for all requests";
        return Err(params.error("key", message));
    }
    Ok(key)
}

/// Reads how addresses are cut, where the key has one.
fn prefixes(params: &mut Params, key: &[Part]) -> Result<Prefixes> {
    let usual = Prefixes::default();
    if !key.contains(&Part::Ip) {
        for name in ["ipv4_prefix", "ipv6_prefix"] {
            if params.raw(name).is_some() {
                let message = "is for a `key` with \"ip\", and this one has none";
                return Err(params.error(name, message));
            }
        }
        return Ok(usual);
    }
    let v4 = params.whole("ipv4_prefix", 0, 32, usual.v4.into())?;
    let v6 = params.whole("ipv6_prefix", 0, 128, usual.v6.into())?;
    let narrow = |bits: u64| u8::try_from(bits).expect("at most 128");
    Ok(Prefixes {
        v4: narrow(v4),
        v6: narrow(v6),
    })
}

/// Reads `algorithm`: a kind, or a table of a kind and its parameters, which are tried on the limit.
fn own_algorithm(params: &mut Params, limit: Limit) -> Result<Option<OwnAlgorithm>> {
    let Some(node) = params.raw("algorithm") else {
        return Ok(None);
    };
    let path = params.name_of("algorithm");
    let mut table = match &node.value {
        Value::Text(_) => {
            let fields = BTreeMap::from([("kind".to_owned(), node.clone())]);
            Params::new(path, node.place.clone(), fields)
        }
        Value::Table(fields) => Params::new(path, node.place.clone(), fields.clone()),
        value => {
            let message = format!(
                "found {}, expected a kind such as \"gcra\", or a table of its `kind` and parameters",
                value.describe()
            );
            return Err(params.error("algorithm", message));
        }
    };
    let kind = table.required::<String>("kind")?;
    let Some(row) = algorithm(&kind) else {
        let kinds: Vec<&str> = ALGORITHMS.iter().map(|row| row.kind).collect();
        return Err(match node.value {
            Value::Text(_) => params.error("algorithm", unknown(&kind, &kinds)),
            _ => table.error("kind", unknown(&kind, &kinds)),
        });
    };
    let own = OwnAlgorithm {
        kind: row.kind,
        params: table.clone(),
    };
    // What parameters follow from is the limit alone, so that any clock will do.
    let contract = Contract {
        limit,
        epoch: Epoch::default(),
        lead: Nanos::ZERO,
        horizon: Nanos::ZERO,
    };
    (row.build)(&mut table, &contract, &[Share::Whole])?;
    params.resolve("algorithm", table.finish()?.into());
    Ok(Some(own))
}
