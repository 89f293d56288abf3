//! Pages about rules, and the document of all of them.

use std::fmt::Write;

use super::card::{CARD, Card};
use super::catalogue::{describe, targets_of_rule};
use super::page::{code, hanging, paragraph};
use crate::lower::{Example, RuleId};

/// A rule of the card with the lowering rules below it.
pub fn card(card: &Card) -> String {
    let mut out = format!("Rule {}: {}\n\n", card.number, card.title);
    paragraph(card.text, "", &mut out);
    for rule in below(card) {
        let _ = writeln!(out, "\n{}", rule.name());
        hanging(rule.title(), "  ", "  ", &mut out);
        if let Some(example) = rule.0.examples.first() {
            write_example(example, &mut out);
        }
    }
    let _ = writeln!(out, "\n`cvtlower explain NAME` tells more of one of them.");
    out
}

fn below(card: &Card) -> impl Iterator<Item = RuleId> {
    let number = card.number;
    RuleId::all().filter(move |r| r.0.card == number)
}

/// One lowering rule.
pub fn rule(rule: RuleId) -> String {
    let mut out = format!("{} (rule {rule} of the card)\n\n", rule.name());
    hanging(rule.title(), "  ", "  ", &mut out);
    hanging(rule.reason(), "  Why: ", "       ", &mut out);
    hanging(&describe(&targets_of_rule(rule)), "  Holds for: ", "             ", &mut out);
    for example in rule.0.examples {
        out.push('\n');
        write_example(example, &mut out);
    }
    out
}

fn write_example(example: &Example, out: &mut String) {
    code(&statements(example), out);
    for (n, sass) in example.sass.iter().enumerate() {
        let arch = if n == 0 { example.arch } else { "" };
        let _ = writeln!(out, "      {arch:<8} {sass}");
    }
    if example.sass.is_empty() {
        let _ = writeln!(out, "      {:<8} (no instruction)", example.arch);
    }
}

/// An example's statements, one a line; a module stays as it is.
fn statements(example: &Example) -> String {
    if example.ptx.contains('\n') { example.ptx.trim().to_owned() } else { example.ptx.replace("; ", ";\n") }
}

/// All rules as a Markdown document; `card_and_ptxas` is the part that is kept by hand.
pub fn rules_document(card_and_ptxas: &str) -> String {
    let mut out = String::from(
        "# The rules\n\n\
         Generated from the rules in `src/lower/rules/`; `CVTLOWER_BLESS=1 cargo test --test documents` writes it again.\n\
         A conversion is lowered by the first *operation* rule that matches; the first *result* rule that matches \
         finishes its result.\nWithin a number the rules stand in the order in which they are tried.\n",
    );
    for card in CARD {
        let _ = write!(out, "\n## {}. {}\n\n{}\n", card.number, card.title, squeeze(card.text));
        for rule in below(card) {
            let targets = describe(&targets_of_rule(rule));
            let _ = write!(
                out,
                "\n### `{}`\n\n{}.\n\n*Why:* {}.\n\n*Holds for:* {targets}.\n",
                rule.name(),
                rule.title(),
                rule.reason()
            );
            for example in rule.0.examples {
                let _ = writeln!(out, "\n```ptx\n{}\n```\n", statements(example));
                let sass =
                    if example.sass.is_empty() { "(no instruction)".to_owned() } else { example.sass.join("\n") };
                let _ = writeln!(out, "On {}:\n\n```\n{sass}\n```", example.arch);
            }
        }
    }
    out.push('\n');
    out.push_str(card_and_ptxas);
    out
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
