//! A YAML map whose order and places count.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_saphyr::Spanned;

/// The pairs of a map in the order of its text, each key with its place.
pub(super) struct Ordered<T>(pub(super) Vec<(Spanned<String>, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Ordered<T> {
        Ordered(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered<T>, D::Error> {
        /// Collects the pairs.
        struct Pairs<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from ids to entries")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut out = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    out.push(pair);
                }
                Ok(Ordered(out))
            }

            fn visit_unit<E>(self) -> Result<Ordered<T>, E> {
                Ok(Ordered::default())
            }
        }

        deserializer.deserialize_map(Pairs(PhantomData))
    }
}
