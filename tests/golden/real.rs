//! What the real ptxas says of the forms.

use std::time::Duration;

use cvtlower::cvt::Spelling;
use cvtlower::matrix::Surroundings;
use cvtlower::matrix::kernel::Kernels;
use cvtlower::reference::Tools;
use cvtlower::reference::run::{Answer, ask};
use cvtlower::target::Target;

use crate::engine::{accepted, refused};

/// So many lines of [`Kernels::text`] stand before the first kernel, in a kernel, and in a kernel before the form.
const LINES: (usize, usize, usize) = (3, 6, 3);

/// A module with all forms takes ptxas some seconds.
const PATIENCE: Duration = Duration::from_secs(600);

/// The outcomes of the forms on a target, in their order.
///
/// ptxas gives instructions only where nothing in the module is wrong, so what it refuses is left out the next time.
pub fn column(forms: &[Spelling], surroundings: Surroundings, target: Target, tools: &Tools) -> Vec<String> {
    let mut outcomes = vec![String::new(); forms.len()];
    let mut asked: Vec<usize> = (0..forms.len()).collect();
    let line = |at: usize| LINES.0 + LINES.1 * at + LINES.2 + 1;
    while !asked.is_empty() {
        let some: Vec<Spelling> = asked.iter().map(|&form| forms[form]).collect();
        let text = Kernels::new(&some, surroundings).text;
        let (head, kernels) = text.split_once(".address_size").expect("a head");
        let (version, _) = head.split_once(".target").expect("a target");
        let text = format!("{version}.target {target}\n.address_size{kernels}");
        debug_assert_eq!(text.lines().nth(line(0) - 1), Some(some[0].statement().as_str()));
        let answer = ask(tools, text.as_bytes(), target, PATIENCE).unwrap_or_else(|why| panic!("{target}: {why}"));
        let messages = match answer {
            Answer::Taken(listing) => {
                for (at, &form) in asked.iter().enumerate() {
                    let instructions = listing.get(&(line(at) as u32)).map_or(&[][..], Vec::as_slice);
                    outcomes[form] = accepted(instructions);
                }
                break;
            }
            Answer::Refused(messages) => messages,
        };
        let mut found: Vec<Vec<String>> = vec![Vec::new(); asked.len()];
        for (number, message) in messages {
            let at = number.map(|n| n as usize).filter(|n| *n > LINES.0).map(|n| (n - LINES.0 - 1) / LINES.1);
            let at = at.unwrap_or_else(|| panic!("{target}: ptxas says of no form: {message}"));
            found[at].push(message);
        }
        for (&form, messages) in asked.iter().zip(&found).filter(|(_, messages)| !messages.is_empty()) {
            outcomes[form] = refused(messages);
        }
        asked.retain(|&form| outcomes[form].is_empty());
    }
    outcomes
}
