//! The comparisons behind an extraction, for machines and for people.

use serde_json::{Value, json};

use super::Attempt;

/// The attempts with their gates, and for each whether it was passed.
pub fn gates(attempts: &[Attempt]) -> Value {
    attempts
        .iter()
        .map(|attempt| {
            let gates = attempt.gates.iter().map(|gate| {
                json!({
                    "name": gate.name, "measured": gate.measured, "least": gate.least, "most": gate.most, "passed": gate.passed(),
                })
            });
            json!({
                "sibling": attempt.sibling, "passed": attempt.passed(), "exact": attempt.exact, "gates": gates.collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// The gates that failed, in words.
pub fn failures(attempt: &Attempt) -> String {
    let failed = attempt.gates.iter().filter(|gate| !gate.passed()).map(|gate| {
        let bound = match (gate.least, gate.most) {
            (Some(least), _) => format!("at least {least}"),
            (_, Some(most)) => format!("at most {most}"),
            (None, None) => "anything".to_owned(),
        };
        format!("{} (measured {:.2}, must be {bound})", gate.name, gate.measured)
    });
    failed.collect::<Vec<_>>().join(", ")
}
