//! Whole arrays: names of their elements, and connections between arrays as connections of their elements.
//!
//! The elements of an array `A` are variables `A[1,1]`, `A[1,2]`, … as FMI 3.0 counts them and structured names of FMI 2.0 write them.

use super::connection::{Connection, Endpoint};
use super::{Scenario, Source};
use macrostep_description::ModelDescription;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Indices of an element, one for each dimension.
pub type Indices = Vec<u32>;

/// The array that a variable is an element of, and its indices there; `None` where its name ends with no indices.
fn split(name: &str) -> Option<(&str, Indices)> {
    let (array, indices) = name.strip_suffix(']')?.rsplit_once('[')?;
    let indices: Option<Indices> = indices.split(',').map(|index| index.trim().parse().ok()).collect();
    Some((array, indices?))
}

/// The indices of all elements of an array with these dimensions, the last one running first.
pub fn indices(dimensions: &[u32]) -> Vec<Indices> {
    dimensions.iter().fold(vec![Vec::new()], |before, &size| {
        before.iter().flat_map(|head| (1..=size).map(move |k| [&head[..], &[k]].concat())).collect()
    })
}

/// The name of an element.
pub fn element(array: &str, indices: &[u32]) -> String {
    let indices: Vec<String> = indices.iter().map(u32::to_string).collect();
    format!("{array}[{}]", indices.join(","))
}

/// What is written for an array, divided into its elements with their names; one value stays one. `parts` are those of an array, `None` where it is
/// none. `None` where an array is empty.
pub fn divided<'v, T>(
    name: &str,
    value: &'v T,
    parts: &dyn Fn(&'v T) -> Option<&'v [T]>,
) -> Option<Vec<(String, &'v T)>> {
    let Some(rows) = parts(value) else { return Some(vec![(name.to_owned(), value)]) };
    if rows.is_empty() {
        return None;
    }
    // Indices of further dimensions go into the same brackets.
    let head = name.strip_suffix(']').map_or_else(|| format!("{name}["), |head| format!("{head},"));
    let rows = (1..).zip(rows).map(|(k, row): (u32, _)| divided(&format!("{head}{k}]"), row, parts));
    rows.collect::<Option<Vec<_>>>().map(|rows| rows.concat())
}

/// The elements of arrays by the names of these, each with its indices.
pub type Arrays<'a> = HashMap<&'a str, Vec<(Indices, &'a str)>>;

/// The elements of each array of a description whose name is no variable.
pub fn arrays(description: &ModelDescription) -> Arrays<'_> {
    let mut arrays: Arrays<'_> = HashMap::new();
    let names = || description.variables.iter().map(|v| v.name.as_str());
    for name in names() {
        if let Some((array, indices)) = split(name) {
            arrays.entry(array).or_default().push((indices, name));
        }
    }
    for name in names() {
        arrays.remove(name);
    }
    arrays
}

impl Scenario {
    /// Each connection between two arrays with the same indices becomes one for each pair of elements, with the same factors. What is no array, or
    /// fits no other, stays as it is: the check says what is wrong.
    pub fn connect_elements(&mut self, description: impl Fn(&Source) -> Option<Arc<ModelDescription>>) {
        // Only units with connections are looked at, each once.
        let ends = self.connections.iter().flat_map(|c| [&c.from, &c.to]);
        let connected: HashSet<&str> = ends.map(|end| end.unit.as_str()).collect();
        let units = self.units.iter().filter(|u| connected.contains(u.name.as_str()));
        let descriptions: Vec<(String, Arc<ModelDescription>)> =
            units.filter_map(|u| Some((u.name.clone(), description(&u.source)?))).collect();
        let of_units: HashMap<&str, _> = descriptions.iter().map(|(name, d)| (name.as_str(), arrays(d))).collect();
        let elements = |end: &Endpoint| of_units.get(end.unit.as_str())?.get(end.variable.as_str());
        // Elements with the same indices belong together.
        for c in std::mem::take(&mut self.connections) {
            let (from, to) = (elements(&c.from), elements(&c.to));
            match from.zip(to).filter(|(from, to)| from.iter().map(|e| &e.0).eq(to.iter().map(|e| &e.0))) {
                None => self.connections.push(c),
                Some((from, to)) => self.connections.extend(from.iter().zip(to).map(|((_, from), (_, to))| {
                    let [from, to] = [(&c.from, from), (&c.to, to)]
                        .map(|(end, element)| Endpoint { variable: (*element).to_owned(), unit: end.unit.clone() });
                    Connection { from, to, ..c.clone() }
                })),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{element, indices, split};

    #[test]
    fn names_of_elements_come_in_the_order_of_fmi() {
        let names: Vec<String> = indices(&[2, 3]).iter().map(|i| element("A", i)).collect();
        assert_eq!(names, ["A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]"]);
        assert_eq!(split("body.r[12]"), Some(("body.r", vec![12])));
        assert_eq!(split("A[2, 3]"), Some(("A", vec![2, 3])));
        for none in ["x", "x[]", "x[a]", "der(x[1])", "x[-1]"] {
            assert_eq!(split(none), None, "{none}");
        }
    }
}
