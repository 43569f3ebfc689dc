//! Laws, linear maps and interface models.

use super::*;

impl Reader<'_> {
    pub(super) fn law(&self, name: &Spanned<String>, law: &file::Law) -> Read<Law> {
        let place = self.place(name);
        let kind = self.kind_of_law(name.get_ref(), law, &place)?;
        // What belongs to another kind was most likely meant for something else.
        if let Some(key) = stray(law) {
            let what = format!("law `{}` of kind `{}` with `{key}`", name.get_ref(), law.kind.get_ref());
            return Err(Finding::error(&place, what, format!("remove `{key}`")));
        }
        let inputs = self.endpoints(&law.inputs)?;
        Ok(Law { name: name.get_ref().clone(), kind, inputs, outputs: law.outputs.clone(), place })
    }

    /// The kind of a law, with the constants it needs.
    fn kind_of_law(&self, name: &str, law: &file::Law, place: &Place) -> Read<LawKind> {
        // What a kind cannot be without.
        let need = |key: &str, value: Option<f64>| {
            let what = format!("law `{name}` of kind `{}` without `{key}`", law.kind.get_ref());
            value.ok_or_else(|| Finding::error(place, what, format!("add `{key} = …`")))
        };
        Ok(match law.kind.get_ref().as_str() {
            // Springs: linear, whose constants may be a unit's parameters, or a polynomial.
            "spring-damper" => LawKind::SpringDamper {
                stiffness: match gain(&law.stiffness) {
                    Some(stiffness) => stiffness,
                    None => Gain::Number(need("stiffness", None)?),
                },
                damping: gain(&law.damping).unwrap_or(Gain::Number(0.0)),
            },
            "nonlinear-spring" => LawKind::NonlinearSpring {
                coefficients: match &law.coefficients {
                    Some(c) if !c.is_empty() => c.clone(),
                    _ => vec![need("coefficients", None)?],
                },
                // Only a number, 0 where it is left out.
                damping: match &law.damping {
                    Some(Amount::Number(x)) => *x,
                    Some(Amount::Parameter(text)) => {
                        let what = format!("`damping` of law `{name}` is \"{text}\"");
                        return Err(Finding::error(place, what, "write a number"));
                    }
                    None => 0.0,
                },
            },
            // Flow over a pressure difference, which is laminar where that is small.
            "orifice" => LawKind::Orifice {
                coefficient: need("coefficient", law.coefficient)?,
                laminar: need("laminar", law.laminar)?,
            },
            // A program gives the law itself.
            "given" => LawKind::Given,
            "line" => LawKind::Line(Line {
                size: line_size(name, law, place)?,
                // The time that a wave takes, and whether units take it at the ends.
                delay_s: need("delay", law.delay)?,
                ends: line_ends(law.ends.as_deref()).map_err(|found| {
                    let what = format!("`ends` of law `{name}` is {found}");
                    let next = "write two, each \"UNIT.PARAMETER\" (set to the impedance), \"feedback\" or \"hold\"";
                    Finding::error(place, what, next)
                })?,
            }),
            other => {
                let what = format!(
                    "law of kind `{other}`, expected `spring-damper`, `nonlinear-spring`, `orifice`, `line` or `given`"
                );
                return Err(Finding::error(&self.place(&law.kind), what, ""));
            }
        })
    }

    pub(super) fn map(&self, map: &Spanned<file::Map>) -> Read<Map> {
        let place = self.place(map);
        let m = map.get_ref();
        let reaction =
            m.reaction.as_ref().map(|r| Ok(Reaction { from: self.endpoints(&r.from)?, to: self.endpoints(&r.to)? }));
        let (from, to) = (self.endpoints(&m.from)?, self.endpoints(&m.to)?);
        Ok(Map { from, to, matrix: m.matrix.clone(), reaction: reaction.transpose()?, place })
    }

    pub(super) fn interface_model(&self, model: &Spanned<file::InterfaceModel>) -> Read<InterfaceModel> {
        let (place, m) = (self.place(model), model.get_ref());
        Ok(InterfaceModel {
            force: self.endpoints(&m.force)?,
            speed: self.endpoints(&m.speed)?,
            position: self.endpoints(&m.position)?,
            mobility: self.endpoints(&m.mobility)?,
            bias: self.endpoints(&m.bias)?,
            to_speed: self.endpoints(&m.to.speed)?,
            to_position: self.endpoints(&m.to.position)?,
            repeat: m.repeat,
            predicted: self.endpoints(&m.predicted)?,
            arrived: self.endpoints(&m.arrived)?,
            place,
        })
    }
}

/// A key that laws of this kind do not have.
fn stray(law: &file::Law) -> Option<&'static str> {
    let keys: [(&str, bool, &[&str]); 8] = [
        ("stiffness", law.stiffness.is_some(), &["spring-damper", "line"]),
        ("damping", law.damping.is_some(), &["spring-damper", "nonlinear-spring"]),
        ("coefficients", law.coefficients.is_some(), &["nonlinear-spring"]),
        ("coefficient", law.coefficient.is_some(), &["orifice"]),
        ("laminar", law.laminar.is_some(), &["orifice"]),
        ("impedance", law.impedance.is_some(), &["line"]),
        ("delay", law.delay.is_some(), &["line"]),
        ("ends", law.ends.is_some(), &["line"]),
    ];
    let word = law.kind.get_ref().as_str();
    keys.into_iter().find(|(_, is_said, kinds)| *is_said && !kinds.contains(&word)).map(|(key, ..)| key)
}

/// A number, or a unit's parameter.
fn gain(amount: &Option<Amount>) -> Option<Gain> {
    match amount {
        Some(Amount::Number(x)) => Some(Gain::Number(*x)),
        Some(Amount::Parameter(name)) => Some(Gain::parse(name)),
        None => None,
    }
}

/// A line takes one of two numbers for its size.
fn line_size(name: &str, law: &file::Law, place: &Place) -> Read<LineSize> {
    match (gain(&law.impedance), gain(&law.stiffness)) {
        (Some(impedance), None) => Ok(LineSize::Impedance(impedance)),
        (None, Some(stiffness)) => Ok(LineSize::Stiffness(stiffness)),
        _ => {
            let what = format!("law `{name}` of kind `line` needs `impedance` or `stiffness`");
            Err(Finding::error(place, what, "give one of the two"))
        }
    }
}

/// Who makes the local part at each end; else what was found.
fn line_ends(texts: Option<&[String]>) -> Result<[LineEnd; 2], String> {
    let Some(texts) = texts else { return Err("missing".to_owned()) };
    match texts {
        [one, two] => match (LineEnd::parse(one), LineEnd::parse(two)) {
            (Some(one), Some(two)) => Ok([one, two]),
            _ => Err(format!("[\"{one}\", \"{two}\"]")),
        },
        _ => Err(format!("a list of {}", texts.len())),
    }
}
