//! What the targets of whole runs share.

use cvtlower::ptx::lines::LineIndex;
use cvtlower::report::diagnostics::{self, Findings, plain, ptxas};
use cvtlower::report::json::Json;
use cvtlower::report::listing::Listing;
use cvtlower::report::{Format, Unit};
use cvtlower::target::Target;
use cvtlower::translate::{Context, Options, translate};

/// Translates and prints a text in every way.
pub fn everything(source: &[u8], context: Context, arch: Option<Target>) {
    let translation = translate(source, &Options { arch, retarget: false, context });
    let lines = LineIndex::new(source);
    let unit = Unit { path: "k.ptx", translation: &translation, lines: &lines };
    Listing::new(true, true).part(&unit).expect("memory");
    let mut json = Json::new(true);
    let part = json.part(&unit).expect("memory");
    let mut document = Vec::new();
    json.put(translation.arch, part, &mut document).expect("memory");
    json.finish(&mut document).expect("memory");
    assert!(std::str::from_utf8(&document).is_ok());
    let found = diagnostics::merge(vec![(translation.arch, translation.diagnostics)]);
    let findings = Findings { path: "k.ptx", source, lines: &lines, findings: found };
    let mut text = Vec::new();
    plain::write(&findings, &mut text).expect("memory");
    ptxas::write(&findings, &mut text).expect("memory");
    diagnostics::fancy::write(&findings, false, &mut text).expect("memory");
}
