//! Both faces of FMUs that have them: which one the advice takes.

use macrostep_analysis::advise::{Advice, Question};
use macrostep_analysis::missed::Unadvised;
use macrostep_import::fmu::Face;
use serde::Serialize;

use super::super::subject::Subject;
use super::{Answer, tried};

/// What was tried, and what was taken.
#[derive(Serialize)]
pub struct Faces {
    /// The units whose FMUs have both.
    pub units: Vec<String>,
    pub taken: &'static str,
    pub tried: Vec<Tried>,
}

/// The advice for one face; `null` where no scheme meets the tolerance at a cost like that of the other face.
#[derive(Serialize)]
pub struct Tried {
    pub face: &'static str,
    pub scheme: Option<String>,
    pub step_s: Option<f64>,
    pub do_steps: Option<u64>,
}

impl Tried {
    fn new(face: Face, advice: &Result<Advice, Unadvised>) -> Tried {
        let best = advice.as_ref().ok().map(|advice| &advice.candidates[0]);
        Tried {
            face: face.word(),
            scheme: best.map(|best| best.scheme.to_string()),
            step_s: best.map(|best| best.step_s),
            do_steps: best.map(|best| best.do_steps),
        }
    }
}

/// The face that needs the fewest calls; co-simulation where they need as many, or where neither meets the tolerance.
pub fn choose<'a>(
    (subject, advice): (&'a Subject, Result<Advice, Unadvised>),
    by_equations: Option<&'a (Subject, Vec<String>)>,
    question: &Question,
) -> (&'a Subject, Result<Advice, Unadvised>, Option<Faces>) {
    let Some((other, units)) = by_equations else { return (subject, advice, None) };
    // Equations are to be worth it: what is far dearer than the best by steps is given up early.
    let known = advice.as_ref().map_or(u64::MAX, |advice| advice.candidates[0].cost());
    let by_equations = tried(other, &Question { known, ..*question });
    let both = vec![Tried::new(Face::CoSimulation, &advice), Tried::new(Face::ModelExchange, &by_equations)];
    let calls = |advice: &Result<Advice, Unadvised>| advice.as_ref().ok().map(|a| a.candidates[0].do_steps);
    let is_better = match (calls(&advice), calls(&by_equations)) {
        (Some(one), Some(two)) => two < one,
        (one, two) => one.is_none() && two.is_some(),
    };
    let taken = if is_better { Face::ModelExchange } else { Face::CoSimulation };
    let faces = Some(Faces { units: units.clone(), taken: taken.word(), tried: both });
    if is_better { (other, by_equations, faces) } else { (subject, advice, faces) }
}

impl Answer<'_> {
    /// With what the faces came to; the one taken is a key of the units.
    pub(super) fn put(&mut self, faces: Option<Faces>) {
        if let Some(faces) = &faces
            && let Some(keys) = self.advised.as_object_mut()
        {
            let units = faces.units.iter().map(|unit| (unit.clone(), faces.taken.into()));
            keys.insert("faces".to_owned(), serde_json::Value::Object(units.collect()));
        }
        self.faces = faces;
    }
}
