//! What there is to say about a rule, a form, a finding or a SASS opcode, as plain text.
//!
//! Everything is asked of legality and the rules when it is wanted; only the texts of findings are written down.

pub mod card;
pub mod catalogue;
pub mod codes;
mod codes_table;
mod detour;
mod form;
mod opcode;
mod page;
mod rule;

use crate::cvt::decode::type_name;
use crate::lower::RuleId;

pub use rule::rules_document;

/// Something that is not known, and what is spelled like it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// As it was asked for.
    pub topic: String,
    /// The nearest names, best first.
    pub nearest: Vec<String>,
}

/// The text about a topic: a card number, a rule's name, an opcode of PTX or SASS, a type, or a finding's code.
///
/// ```
/// let page = cvtlower::explain::topic("cvt.rn.bf16.f16").unwrap();
/// assert!(page.contains("sm_90"));
/// assert_eq!(cvtlower::explain::topic("flote-to-int").unwrap_err().nearest[0], "float-to-int");
/// ```
pub fn topic(topic: &str) -> Result<String, Unknown> {
    let wanted = topic.trim().trim_end_matches(';');
    // A whole statement may be pasted: its opcode is the topic.
    let word = wanted.split_whitespace().find(|w| !w.starts_with('@')).unwrap_or(wanted);
    let number = wanted.strip_prefix("rule ").unwrap_or(wanted).trim();
    if let Some(card) = card::CARD.iter().find(|c| c.number.to_string() == number) {
        return Ok(rule::card(card));
    }
    if let Some(rule) = RuleId::all().find(|r| r.name() == wanted) {
        return Ok(rule::rule(rule));
    }
    if let Some(code) = codes::find(wanted) {
        return Ok(codes::page(code));
    }
    let lower = word.to_ascii_lowercase();
    if lower == "cvt" || lower.starts_with("cvt.") {
        return Ok(form::form(&lower));
    }
    let type_text = lower.trim_start_matches('.');
    if let Some(&ty) = catalogue::TYPES.iter().find(|&&t| type_name(t) == type_text) {
        return Ok(form::of_type(ty));
    }
    let table = opcode::Table::new();
    if let Some(page) = table.page(&word.to_ascii_uppercase()) {
        return Ok(page);
    }
    Err(Unknown { topic: topic.to_owned(), nearest: nearest(wanted, &table) })
}

fn nearest(wanted: &str, table: &opcode::Table) -> Vec<String> {
    let rules = RuleId::all().map(|r| r.name().to_owned());
    let codes = codes::all().map(|c| c.code.to_owned());
    let types = catalogue::TYPES.iter().map(|&t| type_name(t).to_owned());
    let names = rules.chain(codes).chain(types).chain(table.bases());
    let asked = wanted.to_ascii_lowercase();
    let mut scored: Vec<(usize, String)> = names
        .map(|name| {
            let lower = name.to_ascii_lowercase();
            let part = lower.len() > 3 && asked.len() > 3 && (lower.contains(&asked) || asked.contains(&lower));
            (if part { 1 } else { strsim::damerau_levenshtein(&asked, &lower) }, name)
        })
        .filter(|(distance, name)| *distance <= 1 + name.len().min(asked.len()) / 3)
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(5).map(|(_, name)| name).collect()
}

/// What can be explained, on one screen.
pub fn overview() -> String {
    let mut text = String::from(
        "cvtlower explain TOPIC, where TOPIC is one of:\n\n  1 to 7            a rule of the card, with the rules below it\n",
    );
    for card in card::CARD {
        text.push_str(&format!("    {}  {}\n", card.number, card.title));
    }
    text.push_str(
        "  cvt.rn.f16.f32    a form: operands, what may be changed, what it needs, its SASS on every target\n\
         \x20 e4m3x2            a type: the conversions from and to it\n\
         \x20 F2FP.PACK_AB      a SASS opcode: the forms that make it\n\
         \x20 CODE              a finding, such as the following\n",
    );
    let codes: Vec<&str> = codes::all().map(|c| c.code).collect();
    page::columns(&codes, "    ", &mut text);
    text.push_str("  NAME              a rule by its name\n");
    let rules: Vec<&str> = RuleId::all().map(RuleId::name).collect();
    page::columns(&rules, "    ", &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_named_is_explained() {
        for rule in RuleId::all() {
            let page = topic(rule.name()).unwrap_or_default();
            let joined = page.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(joined.contains(rule.reason()), "{page}");
        }
        for code in codes::all() {
            assert!(topic(code.code).is_ok(), "{}", code.code);
        }
    }

    #[test]
    fn the_overview_is_a_screen() {
        let text = overview();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.lines().count() <= 48, "{text}");
    }

    #[test]
    fn the_unknown_gets_its_neighbours() {
        let near = topic("F2FO").unwrap_err().nearest;
        assert!(near.contains(&"F2FP".to_owned()), "{near:?}");
        assert!(topic("zzzzzzzzzzzz").unwrap_err().nearest.is_empty());
    }
}
