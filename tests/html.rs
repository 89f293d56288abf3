//! The page: what it holds, and what a browser makes of it.
//!
//! The lane in the browser runs where there is a `chromium`, and says that it is skipped where there is none.

use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

/// The page for three targets; for all of them it takes long to make without optimisation.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("matrix.html");
    let status = Command::new(env!("CARGO_BIN_EXE_cvtlower"))
        .args(["matrix", "--arch", "sm_80,sm_89,sm_100a", "--format", "html", "-o"])
        .arg(&path)
        .status()
        .expect("it runs");
    assert!(status.success());
    std::fs::read_to_string(&path).expect("written")
});

#[test]
fn the_page_needs_nothing_else() {
    let page = PAGE.as_str();
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(page.contains("default-src 'none'"));
    for outside in ["http://", "https://", "<link", "@import", "url(", " src="] {
        assert!(!page.contains(outside), "{outside}");
    }
    for mark in ["/*STYLE*/", "\"DATA\"", "/*SCRIPT*/"] {
        assert!(!page.contains(mark), "{mark}");
    }
}

#[test]
fn the_data_is_one_script_element() {
    let (_, rest) = PAGE.split_once("id=\"data\">").expect("the element");
    let (data, _) = rest.split_once("</script>").expect("its end");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["targets"], serde_json::json!(["sm_80", "sm_89", "sm_100a"]));
    let forms: usize = data["pairs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|p| p["forms"].as_array().expect("a list").len() / 3)
        .sum();
    assert_eq!(forms, 19_747);
}

/// The page's document after its script has run, or `None` where there is no browser.
fn browsed(hash: &str) -> Option<String> {
    browsed_with(hash, "")
}

/// The same after a further script, which plays the user.
fn browsed_with(hash: &str, script: &str) -> Option<String> {
    let browser = std::env::split_paths(&std::env::var_os("PATH")?)
        .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)))
        .find(|path| path.is_file());
    let Some(browser) = browser else {
        eprintln!("skipped: no chromium on the PATH");
        return None;
    };
    let profile = TempDir::new().expect("a folder");
    let page = profile.path().join("page.html");
    let text = PAGE.replace("</body>", &format!("<script>{script}</script></body>"));
    std::fs::write(&page, text).expect("written");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1200,900"])
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("file://{}#{hash}", page.display()))
        .output()
        .expect("the browser runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn chromium_shows_the_grid() {
    let Some(page) = browsed("a=sm_89") else { return };
    assert!(page.contains(">sm_89: "), "no title");
    assert!(page.contains("role=\"grid\"") && page.matches("role=\"gridcell\"").count() == 144);
    // One cell alone is in the order of the tabulator key.
    assert_eq!(page.matches("tabindex=\"0\"").count(), 1);
    assert!(page.contains("aria-label=\"cvt.rn.f16.f32: F2FP.F16.F32.PACK_AB"));
}

#[test]
fn chromium_shows_an_explanation_and_differences() {
    let Some(page) = browsed("a=sm_80&b=sm_100a&form=cvt.rn.f32.s32") else { return };
    let (_, detail) = page.split_once("id=\"detail\"").expect("the explanation");
    assert!(detail.contains("cvt.rn.f32.s32 d, a;") && detail.contains("I2FP.F32.S32"), "{detail}");
    assert!(detail.contains("sm_100a ≠") && detail.contains("On every target"));
    assert!(page.contains("class=\"differs\""));
}

#[test]
fn chromium_says_why_a_form_is_illegal() {
    let Some(page) = browsed("a=sm_80&form=cvt.rn.bf16.f16") else { return };
    let (_, detail) = page.split_once("id=\"detail\"").expect("the explanation");
    assert!(detail.contains("Illegal") && detail.contains("<li>") && detail.contains("sm_90"), "{detail}");
}

#[test]
fn chromium_shows_packed_types_and_a_chosen_rounding() {
    let Some(page) = browsed("a=sm_100a&view=packed&rounding=rs") else { return };
    assert!(page.contains("aria-label=\"cvt.rs.f16x2.f32: F2FP"), "no stochastic rounding");
}

#[test]
fn chromium_is_driven_by_keys() {
    // From the first cell right, down and to the end of the row; Enter opens, Esc closes and goes back to the cell.
    let keys = r##"
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        document.querySelector("#grid td[tabindex='0']").focus();
        for (const key of ["ArrowRight", "ArrowDown", "End", "Enter"]) press(key);
        document.title = document.activeElement.id + ": " + document.activeElement.textContent;
        press("Escape");
        document.title += "; back at " + document.activeElement.getAttribute("aria-label").split(":")[0];
        document.title += "; hidden " + document.getElementById("detail").hidden;
    "##;
    let Some(page) = browsed_with("a=sm_89", keys) else { return };
    let form = "cvt.rni.s8.f64";
    assert!(
        page.contains(&format!("<title>form-title: {form}; back at {form}; hidden true</title>")),
        "{}",
        &page[..900]
    );
}
