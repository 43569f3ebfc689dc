//! The structure of a file of FMI 3.0: unknowns, what they depend on, and clocks, which are no variables here.

use super::three::file;
use macrostep_description::{Dependencies, DependencyKind};

const VARIABLES: &str = r#"<Float64 name="x" valueReference="1" causality="output"/>
<Float64 name="v" valueReference="2" derivative="1"/>
<Float64 name="u" valueReference="3" causality="input" start="0 0"><Dimension start="2"/></Float64>
<Clock name="c" valueReference="4" causality="input"/>"#;

/// What each list has: positions of the unknowns and what they depend on.
fn lists(structure: &str) -> Result<[Vec<(usize, Dependencies)>; 3], String> {
    let d = file(["", VARIABLES, structure])?.description;
    let s = d.structure;
    Ok([s.outputs, s.derivatives, s.initial_unknowns]
        .map(|list| list.into_iter().map(|unknown| (unknown.index, unknown.dependencies)).collect()))
}

fn known(list: &[(usize, DependencyKind)]) -> Dependencies {
    Dependencies::Known(list.to_vec())
}

/// Each list is its own; an unknown without dependencies depends on everything, and one on an array on each element of it, ascending and once.
#[test]
fn unknowns_depend_on_elements() {
    let found = lists(
        r#"<Output valueReference="1" dependencies="3 2 3 4" dependenciesKind="fixed constant fixed fixed"/>
<ContinuousStateDerivative valueReference="2" dependencies="3" dependenciesKind="fixed dependent"/>
<InitialUnknown valueReference="3"/><InitialUnknown valueReference="1" dependencies=""/><InitialUnknown valueReference="4"/>"#,
    );
    let [outputs, derivatives, initially] = found.expect("legal");
    use DependencyKind::{Constant, Dependent, Fixed};
    assert_eq!(outputs, [(0, known(&[(1, Constant), (2, Fixed), (3, Fixed)]))]);
    // With another number of kinds none of them counts.
    assert_eq!(derivatives, [(1, known(&[(2, Dependent), (3, Dependent)]))]);
    assert_eq!(initially, [(0, known(&[])), (2, Dependencies::All), (3, Dependencies::All)]);
}

/// Unknowns are variables, once in each list, and kinds are words of the standard.
#[test]
fn what_is_no_variable_is_refused() {
    for (structure, expected) in [
        (r#"<Output valueReference="9"/>"#, "value reference 9 as Output"),
        (r#"<Output valueReference="1" dependencies="9"/>"#, "value reference 9 as a dependency"),
        (r#"<Output valueReference="1" dependencies="x"/>"#, "`x` in `dependencies`"),
        (r#"<Output valueReference="1" dependencies="3" dependenciesKind="much"/>"#, "`much` in `dependenciesKind`"),
        (r#"<Output valueReference="1"/><Output valueReference="1"/>"#, "value reference 1 as `Output` again"),
        (r#"<Output/>"#, "`Output` without `valueReference`"),
    ] {
        let message = lists(structure).expect_err("refused");
        assert!(message.contains(expected), "{message}");
    }
}

/// Clocks and event indicators are passed over, what the standard does not have is told.
#[test]
fn what_is_not_known_is_told() {
    let reading = file([
        "",
        VARIABLES,
        r#"<EventIndicator valueReference="1"/><ClockedState valueReference="1"/><EventIndicator valueReference="2"/>"#,
    ]);
    let reading = reading.expect("legal");
    assert_eq!((reading.description.event_indicators, reading.warnings.len()), (2, 0));
    assert!(reading.description.fmi3.expect("FMI 3.0").has_clocks);
    for (variables, structure, expected) in [
        (r#"<Float128 name="y" valueReference="7"/>"#, "", "Float128"),
        ("", r#"<State valueReference="1"/>"#, "State"),
    ] {
        let reading = file(["", &format!("{VARIABLES}{variables}"), structure]).expect("read");
        assert_eq!(reading.description.variables.len(), 4, "{expected}");
        let told: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].contains(expected), "{told:?}");
    }
}

/// Dependencies on arrays are bounded: where there is no room for more of them, an element depends on everything; scalars take none.
#[test]
fn dependencies_on_arrays_are_bounded() {
    let variables = r#"<Float64 name="a" valueReference="5" causality="output"><Dimension start="1000"/></Float64>
<Float64 name="s" valueReference="6" causality="output"/>"#;
    let square = r#"<Output valueReference="5" dependencies="5"/><Output valueReference="6" dependencies="6"/>"#;
    let outputs = file(["", variables, square]).expect("legal").description.structure.outputs;
    // A million is the bound, of which the list itself takes a thousand.
    let all: Vec<usize> = outputs.iter().filter(|o| o.dependencies == Dependencies::All).map(|o| o.index).collect();
    assert_eq!((outputs.len(), all), (1001, vec![999]));
    assert_eq!(outputs[1000].dependencies, known(&[(1000, DependencyKind::Dependent)]));
}
