//! `claims.yaml` as it is written, before it means anything.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;

/// The map as written; a list keeps the order and the places of the keys.
pub(super) struct RawClaims(pub(super) Vec<(Spanned<String>, RawEntry)>);

/// An entry as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEntry {
    /// `grade:`
    pub(super) grade: Spanned<String>,
    /// `evidence:`
    #[serde(default)]
    pub(super) evidence: Vec<Spanned<String>>,
    /// `expect:`
    #[serde(default)]
    pub(super) expect: Vec<Spanned<String>>,
    /// `holds:`
    #[serde(default)]
    pub(super) holds: BTreeMap<String, Spanned<String>>,
    /// `control:`
    #[serde(default)]
    pub(super) control: Option<Spanned<String>>,
    /// `expires_after:`
    #[serde(default)]
    pub(super) expires_after: Option<Spanned<String>>,
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
