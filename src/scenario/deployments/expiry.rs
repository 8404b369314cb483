//! When keys are forgotten.

use super::{Frame, refuse};
use crate::error::Result;
use crate::params::{FromValue, Moment, Params, Value};
use crate::simulation::{Deployment, Ttl};
use crate::units::Nanos;

/// What the field `ttl` says.
enum Lifetime {
    Design,
    None,
    Of(Nanos),
}

impl FromValue for Lifetime {
    const EXPECTED: &'static str = "\"design\", \"none\", or a duration such as \"30s\"";

    fn from_value(value: &Value) -> std::result::Result<Self, String> {
        let length = match value {
            Value::Text(text) if text == "design" => return Ok(Self::Design),
            Value::Text(text) if text == "none" => return Ok(Self::None),
            Value::Text(text) => text.parse::<Nanos>().ok(),
            _ => None,
        };
        length
            .filter(|length| *length > Nanos::ZERO)
            .map(Self::Of)
            .ok_or_else(|| format!("found {}, expected {}", value.describe(), Self::EXPECTED))
    }

    fn to_toml(&self) -> toml::Value {
        match self {
            Self::Design => "design".into(),
            Self::None => "none".into(),
            Self::Of(length) => length.to_toml(),
        }
    }
}

/// Reads all of it.
pub(super) fn read(params: &mut Params, deployment: &mut Deployment, frame: &Frame) -> Result<()> {
    deployment.ttl = match params.or("ttl", Lifetime::Design)? {
        Lifetime::Design => Ttl::Design,
        Lifetime::None => Ttl::None,
        Lifetime::Of(length) => {
            match params.choice("ttl_from", &["write", "creation"], "write")? {
                "creation" => Ttl::AfterCreation(length),
                _ => Ttl::AfterWrite(length),
            }
        }
    };
    if matches!(deployment.ttl, Ttl::Design | Ttl::None) {
        let why = "it says what a `ttl` that is a duration counts from; give one";
        refuse(params, "ttl_from", why)?;
    }
    if deployment.ttl == Ttl::None {
        let why = "with ttl = \"none\" no key expires anyway";
        refuse(params, "lost_expire", why)?;
    }
    let Some(moments) = params.optional::<Vec<Moment>>("lost_expire")? else {
        return Ok(());
    };
    for moment in moments {
        let at = frame.within(params, "lost_expire", moment)?;
        deployment.lost_expires.push(at);
    }
    deployment.lost_expires.sort_unstable();
    Ok(())
}
