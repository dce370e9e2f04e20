//! `claims.yaml` as it is written, before it means anything.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;

use super::claim::Grade;

/// The map as written; a list keeps the order and the places of the keys.
pub(super) struct RawClaims(pub(super) Vec<(Spanned<String>, RawEntry)>);

/// An entry as written.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEntry {
    /// What the claim rests on: `measured`, `reported`, `official` or `logical`.
    #[schemars(with = "Grade")]
    pub(super) grade: Spanned<String>,
    /// Runs, reports, sources, premises: `T1#flip`, `R2`, `S4`, `C4`.
    #[schemars(with = "Vec<String>")]
    #[serde(default)]
    pub(super) evidence: Vec<Spanned<String>>,
    /// Conditions over measured values, such as `flip.lost == 0` or `ok(flip)`.
    #[schemars(with = "Vec<String>")]
    #[serde(default)]
    pub(super) expect: Vec<Spanned<String>>,
    /// Environments in which it is claimed: `envoy: "<1.39"`.
    #[schemars(with = "BTreeMap<String, String>")]
    #[serde(default)]
    pub(super) holds: BTreeMap<String, Spanned<String>>,
    /// A negative control that must hold, too.
    #[schemars(with = "Option<String>")]
    #[serde(default)]
    pub(super) control: Option<Spanned<String>>,
    /// After which time it must be measured again, such as `180d`.
    #[schemars(with = "Option<String>")]
    #[serde(default)]
    pub(super) expires_after: Option<Spanned<String>>,
}

/// The schema of `claims.yaml`: claim ids with their entries.
pub(crate) fn claims_schema() -> schemars::Schema {
    let mut generator = schemars::SchemaGenerator::default();
    let entry = generator.subschema_for::<RawEntry>();
    let definitions = generator.take_definitions(true);
    schemars::json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "patternProperties": { "^[A-JL-QU-Z][0-9]+$": entry },
        "additionalProperties": false,
        "$defs": definitions,
    })
}

impl<'de> Deserialize<'de> for RawClaims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawClaims, D::Error> {
        /// Collects the pairs of the map in order.
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = RawClaims;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from claim ids to entries")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawClaims, A::Error> {
                let mut out = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    out.push(pair);
                }
                Ok(RawClaims(out))
            }

            fn visit_unit<E>(self) -> Result<RawClaims, E> {
                Ok(RawClaims(Vec::new()))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}
