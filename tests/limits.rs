//! What is larger, deeper or more broken than any compiler's output: a clear answer, and never a crash or a hang.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use cvtlower::ptx::lines::LineIndex;
use cvtlower::report::json::Json;
use cvtlower::report::listing::Listing;
use cvtlower::report::{Format, Unit};
use cvtlower::translate::{Context, Options, Translation, translate};
use predicates::str::{contains, is_empty};
use tempfile::TempDir;

const HEAD: &str = ".version 8.4\n.target sm_89\n.address_size 64\n";

/// A kernel around `body`; `%r1` and `%f1` have what they need.
fn kernel(body: &str) -> String {
    format!(
        "{HEAD}.visible .entry k(.param .u64 p)\n{{\n\t.reg .b32 %r<9>;\n\t.reg .f32 %f<9>;\n\t.reg .b64 %rd<9>;\n\
         \tld.param.u64 %rd1, [p];\n\tld.global.f32 %f1, [%rd1];\n{body}\n\tcvt.rzi.s32.f32 %r1, %f1;\n\
         \tst.global.u32 [%rd1], %r1;\n\tret;\n}}\n"
    )
}

fn cvtlower() -> Command {
    let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
    command.env_remove("NO_COLOR").env_remove("RUST_BACKTRACE");
    command
}

/// Translates and prints a text in every way that the library has.
fn everything(source: &[u8]) -> Vec<u8> {
    let translation = translate(source, &Options { arch: None, retarget: false, context: Context::Kernel });
    let lines = LineIndex::new(source);
    let unit = Unit { path: "k.ptx", translation: &translation, lines: &lines };
    let listing = Listing::new(true, true).part(&unit).expect("memory");
    let mut json = Json::new(true);
    let part = json.part(&unit).expect("memory");
    let mut document = Vec::new();
    json.put(translation.arch, part, &mut document).expect("memory");
    json.finish(&mut document).expect("memory");
    assert!(std::str::from_utf8(&document).is_ok());
    consistent(&translation, source);
    listing
}

/// Places lie in the text, and findings are in order.
fn consistent(translation: &Translation<'_>, source: &[u8]) {
    for finding in &translation.diagnostics {
        assert!(finding.span.end as usize <= source.len() && finding.span.start <= finding.span.end, "{finding:?}");
    }
    assert!(translation.diagnostics.is_sorted_by_key(|finding| finding.anchor.start));
}

/// The kernel's own conversion comes out whatever stands before it.
fn lowers(body: &str) {
    let listing = everything(kernel(body).as_bytes());
    assert!(String::from_utf8_lossy(&listing).contains("F2I.TRUNC.NTZ"), "{}", &body[..body.len().min(60)]);
}

#[test]
fn nesting_has_no_limit() {
    let deep = 100_000;
    lowers(&format!("{}{}", "{".repeat(deep), "}".repeat(deep)));
    lowers(&format!("mov.b32 %r2, {}1{};", "(".repeat(deep), ")".repeat(deep)));
    for open in ["{", "(", "[", "mov.b32 %r2, {", "-", "!", "@", "1 ? "] {
        everything(kernel(&open.repeat(deep)).as_bytes());
    }
}

/// What a source comes from, and what becomes of a result, may be far away.
#[test]
fn long_chains_cost_no_stack() {
    let steps = [
        "and.b32 %r@, %r#, 255",
        "and.b32 %r@, %r#, 65535",
        "or.b32 %r@, %r#, 1",
        "add.s32 %r@, %r#, 1",
        "shl.b32 %r@, %r#, 1",
        "shr.u32 %r@, %r#, 8",
        "shr.s32 %r@, %r#, 1",
        "bfe.u32 %r@, %r#, 8, 8",
        "min.u32 %r@, %r#, 7",
        "selp.b32 %r@, %r#, %r0, %p1",
        "neg.s32 %r@, %r#",
        "abs.s32 %r@, %r#",
        "mov.b32 %r@, %r#",
        "@%p1 mov.b32 %r@, %r#",
        "prmt.b32 %r@, %r#, 0, 0x4440",
        "cvt.u32.u8 %r@, %r#",
        "cvt.s32.s16 %r@, %r#",
        "cvt.sat.u32.s32 %r@, %r#",
        "mov.b32 {%h@, %h0}, %r#; mov.b32 %r@, {%h@, %h0}",
        "cvt.rn.f32.s32 %f@, %r#; cvt.rzi.s32.f32 %r@, %f@",
    ];
    let length = 30_000;
    for step in steps {
        let mut body =
            String::from(".reg .pred %p<2>; .reg .b32 %r<30001>; .reg .f32 %f<30001>; .reg .b16 %h<30001>;\n");
        for n in 0..length {
            body.push_str(&step.replace('#', &n.to_string()).replace('@', &(n + 1).to_string()));
            body.push_str(";\n");
        }
        body.push_str("cvt.rn.f32.u32 %f1, %r30000; cvt.rn.f16.f32 %h1, %f1; st.global.f32 [%rd1], %f1; st.global.b16 [%rd1], %h1;\n");
        lowers(&format!("{{{body}}}"));
    }
}

/// What fuzzing kept because it took new ways through the program, and what it found.
#[test]
fn inputs_that_fuzzing_kept() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fuzz");
    let inputs = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let inputs: Vec<_> = inputs.collect();
    assert!(inputs.len() > 100);
    for path in inputs {
        everything(&fs::read(path).expect("it is read"));
    }
}

/// What each of many loops leaves behind may be read by all of them.
#[test]
fn many_loops_write_the_same_registers() {
    let mut body = String::from(".reg .pred %p<2>; .reg .b32 %q<2>; .reg .f32 %g<3>;\n");
    for n in 0..50_000 {
        body.push_str(&format!(
            "$L{n}:\ncvt.rn.f32.s32 %g1, %q1;\nadd.f32 %g2, %g2, %g1;\nsetp.gt.f32 %p1, %g2, %g1;\n@%p1 bra $L{n};\n"
        ));
    }
    lowers(&format!("{{{body}st.global.f32 [%rd1], %g2;}}"));
}

#[test]
fn names_and_numbers_of_any_length() {
    let name = "x".repeat(1 << 20);
    lowers(&format!(".reg .f32 {name}; mov.f32 {name}, %f1; cvt.rzi.s32.f32 %r2, {name}; st.global.u32 [%rd1], %r2;"));
    lowers(&format!("cvt.rzi.s32.f32 %r2, {name};"));
    lowers(&format!("cvt.{name}.s32.f32 %r2, %f1;"));
    lowers(&format!("bra {name}; {name}:"));
    let digits = "9".repeat(1000);
    for number in
        [digits.clone(), format!("0x{digits}"), format!("{digits}.5"), format!("1e{digits}"), format!("-{digits}")]
    {
        lowers(&format!("cvt.u32.u64 %r2, {number}; st.global.u32 [%rd1], %r2; mov.b32 %r3, {number};"));
        lowers(&format!("cvt.f32.f64 %f2, {number}; st.global.f32 [%rd1], %f2;"));
        lowers(&format!(".local .align {number} .b8 a[{number}];"));
        everything(format!(".version {number}.{number}\n.target sm_{number}\n").as_bytes());
    }
}

#[test]
fn a_range_of_registers_costs_what_is_used_of_it() {
    lowers(".reg .b32 %q<4294967296>; .reg .f32 %g<4294967295>; cvt.rzi.s32.f32 %q4294967294, %g4294967293;");
    lowers(&format!(".reg .b32 %q<{}>;", "9".repeat(400)));
    lowers(&".reg .b32 %q<4000000000>;\n".repeat(1000));
}

#[test]
fn a_million_functions() {
    let mut text = HEAD.to_string();
    for n in 0..1_000_000 {
        text.push_str(&format!(".entry k{n}(){{ret;}}\n"));
    }
    let translation = translate(text.as_bytes(), &Options { arch: None, retarget: false, context: Context::Kernel });
    assert_eq!(translation.functions.len(), 1_000_000);
    assert!(translation.diagnostics.is_empty());
}

#[test]
fn a_million_errors_are_told_with_their_count() {
    for (error, more) in [
        ("; ", "990000 further errors"),
        ("#; ", "further errors"),
        ("cvt.rna.s32.f32 %r1, %f1; ", "800000 further errors"),
    ] {
        let folder = TempDir::new().expect("a temporary folder");
        fs::write(folder.path().join("k.ptx"), kernel(&error.repeat(1_000_000))).expect("written");
        let output =
            cvtlower().current_dir(&folder).arg("k.ptx").assert().code(1).stderr(contains(more)).get_output().clone();
        assert!(output.stderr.len() < 100_000, "{error}: {} bytes of findings", output.stderr.len());
        assert!(String::from_utf8_lossy(&output.stdout).contains("F2I.TRUNC.NTZ"));
    }
}

#[test]
fn a_file_of_more_than_4_gib_is_refused_unread() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = File::create(folder.path().join("k.ptx")).expect("created");
    if file.set_len((4 << 30) + 1).is_err() {
        return; // no sparse files here
    }
    let large = "error: cannot read 'k.ptx': it is larger than 4 GiB\n";
    cvtlower().current_dir(&folder).arg("k.ptx").assert().code(2).stdout(is_empty()).stderr(large);
}

#[test]
fn any_byte_anywhere() {
    let text = kernel("\tcvt.rn.f16.f32 %r2, %f1; // c\n\tmov.b32 \t%r3, {%r1, %r2};\n/* d */ .pragma \"e\";");
    for at in 0..text.len() {
        for bytes in
            [&b"\xff"[..], b"\0", b"\xc3", b"\xe2\x82", b"\x80", b"\xef\xbb\xbf", b"\r", b"\\", b"\"", b"/*", b"{"]
        {
            let mut broken = text.clone().into_bytes();
            broken.splice(at..at, bytes.iter().copied());
            everything(&broken);
        }
        let mut cut = text.clone().into_bytes();
        cut[at] = 0xff;
        everything(&cut);
        everything(&cut[..at]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_status_2() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    // more than what is buffered, and less
    for repeat in [1, 20_000] {
        fs::write(
            folder.path().join("k.ptx"),
            kernel(&"cvt.rzi.s32.f32 %r1, %f1; st.global.u32 [%rd1], %r1;\n".repeat(repeat)),
        )
        .expect("written");
        for format in ["sass", "json"] {
            let full = OpenOptions::new().write(true).open("/dev/full").expect("opened");
            let status = Process::new(env!("CARGO_BIN_EXE_cvtlower"))
                .current_dir(&folder)
                .args(["--format", format, "k.ptx"])
                .stdout(full)
                .stderr(Stdio::piped())
                .output()
                .expect("it runs");
            let message = String::from_utf8_lossy(&status.stderr).into_owned();
            assert_eq!((status.status.code(), message.lines().count()), (Some(2), 1), "{message}");
            assert!(message.contains("No space left on device"), "{message}");
            cvtlower()
                .current_dir(&folder)
                .args(["--format", format, "k.ptx", "-o", "/dev/full"])
                .assert()
                .code(2)
                .stderr(contains("No space left on device"));
        }
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_is_status_2() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), kernel("")).expect("written");
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).expect("created");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).expect("set");
    // for root no folder is closed but those of the kernel
    let target = if File::create(closed.join("probe")).is_err() { "closed/k.sass" } else { "/proc/self/k.sass" };
    let named = format!("error: cannot write '{target}': ");
    cvtlower()
        .current_dir(&folder)
        .args(["k.ptx", "-o", target])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains(named));
}

#[test]
#[cfg(unix)]
fn a_reader_may_leave_at_any_byte() {
    let folder = TempDir::new().expect("a temporary folder");
    let body = "cvt.rzi.s32.f32 %r1, %f1; st.global.u32 [%rd1], %r1;\n".repeat(5000);
    fs::write(folder.path().join("k.ptx"), kernel(&body)).expect("written");
    for bytes in (0..400).step_by(37).chain([4096, 65_535, 65_536, 65_537, 131_072, 200_000]) {
        for format in ["sass", "json"] {
            let mut child = Process::new(env!("CARGO_BIN_EXE_cvtlower"))
                .current_dir(&folder)
                .args(["--format", format, "k.ptx"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it runs");
            let mut read = vec![0; bytes];
            let mut output = child.stdout.take().expect("a pipe");
            output.read_exact(&mut read).expect("so much is printed");
            drop(output);
            let output = child.wait_with_output().expect("it ends");
            assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{bytes} {format}");
        }
    }
}

#[test]
fn an_input_may_change_while_it_is_read() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("k.ptx");
    let text = kernel(&"\tcvt.rzi.s32.f32 %r1, %f1;\n".repeat(100_000));
    fs::write(&path, &text).expect("written");
    let mut file = OpenOptions::new().write(true).open(&path).expect("opened");
    for round in 0..12 {
        let child = Process::new(env!("CARGO_BIN_EXE_cvtlower"))
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let length = if round % 2 == 0 { 1000 } else { text.len() };
        file.set_len(length as u64).expect("cut or grown");
        file.seek(std::io::SeekFrom::Start(500)).expect("a place");
        file.write_all(&text.as_bytes()[500..length]).expect("written");
        let status = child.wait_with_output().expect("it ends").status;
        assert!(matches!(status.code(), Some(0 | 1)), "{status}");
    }
}

/// A pipe has no size to be told beforehand, and is read once.
#[test]
#[cfg(unix)]
fn a_pipe_gives_what_a_file_gives() {
    let folder = TempDir::new().expect("a temporary folder");
    let text = kernel(&"\tcvt.rzi.s32.f32 %r1, %f1;\n".repeat(200_000));
    fs::write(folder.path().join("k.ptx"), &text).expect("written");
    let made = Process::new("mkfifo").arg(folder.path().join("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let pipe = folder.path().join("pipe");
    let writer = std::thread::spawn(move || fs::write(pipe, text));
    let of = |name: &str| {
        let output = cvtlower().current_dir(&folder).arg(name).assert().code(0).get_output().stdout.clone();
        String::from_utf8_lossy(&output).replace(name, "NAME")
    };
    assert!(of("pipe") == of("k.ptx"));
    writer.join().expect("it ends").expect("all is read");
}

/// Found by mutation: a load without operands, the last of its file, beside halves that may be neighbours.
#[test]
fn instructions_without_operands_end_a_file() {
    let before = "cvt.rn.f16.f32 h4, f4;\nld.global.b16 h1, [d1];\nld.global.b16 h2, [d1+2];\ncvt.f32.f16 f1, h1;\n\
                  cvt.f32.f16 f2, h2;\nadd.f16 h3, h1, h2;\nst.shared.b16 [d2], h3;\n";
    for opcode in [
        "ld.global.bf16",
        "ld.shared.b16",
        "ld.param.u32",
        "st.shared.b16",
        "st.global.v2.b16",
        "mov.b32",
        "add.f16",
        "fma.rn.f16",
        "neg.f16x2",
        "cvt.rn.f16.f32",
        "cvt.pack.sat.u8.s32.b32",
        "setp.eq.s32",
        "selp.b32",
        "prmt.b32",
        "bfe.u32",
        "mad.wide.s32",
        "shl.b32",
        "set.eq.f16.f16",
        "cvta.to.global.u64",
        "bra",
        "call",
        "atom.global.add.u32",
    ] {
        for guard in ["", "@p1 "] {
            let printed = everything(format!("{before}{guard}{opcode};").as_bytes());
            let printed = String::from_utf8_lossy(&printed);
            assert!(printed.contains("HADD2.F32"), "{guard}{opcode}: {printed}");
        }
    }
}
