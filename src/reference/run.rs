//! Running the tools: no longer than the user wants to wait, and reading what they print.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::find::Tools;
use crate::target::Target;

/// What a command printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Whether its status is 0.
    pub success: bool,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Why a tool gave nothing.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started, or its files could not be written.
    Io(io::Error),
    /// It took too long.
    TimedOut(Duration),
    /// It ended by a signal.
    Crashed(ExitStatus),
    /// It gave an answer that is not understood.
    Strange(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Io(error) => write!(f, "{error}"),
            Failure::TimedOut(after) => write!(f, "stopped after {} s", after.as_secs()),
            Failure::Crashed(status) => write!(f, "crashed ({status})"),
            Failure::Strange(text) => f.write_str(text),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

/// Runs a command to its end, or kills it.
pub fn output(command: &mut Command, patience: Duration) -> Result<Printed, Failure> {
    // Files, not pipes: nobody has to read while the command writes.
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
    let mut child = command.spawn()?;
    let started = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() >= patience {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::TimedOut(patience));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    if status.code().is_none() {
        return Err(Failure::Crashed(status));
    }
    Ok(Printed { success: status.success(), stdout: text(&mut out)?, stderr: text(&mut err)? })
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What ptxas said about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It took it: the instructions of each line, from 1.
    Taken(FxHashMap<u32, Vec<String>>),
    /// It refused it: its messages, each with its line where it names one.
    Refused(Vec<(Option<u32>, String)>),
}

/// Assembles a text and reads its instructions line by line.
pub fn ask(tools: &Tools, source: &[u8], arch: Target, patience: Duration) -> Result<Answer, Failure> {
    let folder = tempfile::Builder::new().prefix("cvtlower-").tempdir()?;
    let (ptx, cubin) = (folder.path().join("in.ptx"), folder.path().join("out.cubin"));
    std::fs::write(&ptx, source)?;
    let mut command = Command::new(&tools.ptxas.path);
    command.args(["-lineinfo", "-O3", "-arch"]).arg(arch.to_string()).arg(&ptx).arg("-o").arg(&cubin);
    let named = |tool: &str, failure| match failure {
        Failure::Io(error) => Failure::Strange(format!("{tool} cannot be run: {error}")),
        Failure::TimedOut(after) => Failure::Strange(format!("{tool} was {}", Failure::TimedOut(after))),
        other => Failure::Strange(format!("{tool} {other}")),
    };
    let done = output(&mut command, patience).map_err(|failure| named("ptxas", failure))?;
    if !done.success {
        let messages = messages(&format!("{}{}", done.stdout, done.stderr));
        return if messages.is_empty() {
            let said = done.stderr.lines().chain(done.stdout.lines()).next().unwrap_or("it does not say why");
            Err(Failure::Strange(format!("ptxas failed: {said}")))
        } else {
            Ok(Answer::Refused(messages))
        };
    }
    disassemble(tools, &cubin, patience).map(Answer::Taken).map_err(|failure| named("nvdisasm", failure))
}

fn disassemble(tools: &Tools, cubin: &Path, patience: Duration) -> Result<FxHashMap<u32, Vec<String>>, Failure> {
    let mut command = Command::new(&tools.nvdisasm.path);
    command.args(["-c", "-gp"]).arg(cubin);
    let done = output(&mut command, patience)?;
    if !done.success {
        let said = done.stderr.lines().next().unwrap_or("it does not say why");
        return Err(Failure::Strange(format!("failed: {said}")));
    }
    Ok(listing(&done.stdout))
}

/// The instructions of a listing by the line that stands above them.
fn listing(text: &str) -> FxHashMap<u32, Vec<String>> {
    let mut lines: FxHashMap<u32, Vec<String>> = FxHashMap::default();
    let mut current = None;
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(place) = line.strip_prefix("//## File ") {
            let number = place.split("\", line ").nth(1).and_then(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                rest[..end].parse().ok()
            });
            current = number.or(current);
        } else if line.starts_with(".section") {
            current = None;
        } else if let (Some(number), Some(instruction)) = (current, instruction(line)) {
            lines.entry(number).or_default().push(instruction);
        }
    }
    lines
}

/// The text of `/*0010*/ F2I.TRUNC.NTZ R7, R2 ;`.
fn instruction(line: &str) -> Option<String> {
    let (address, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    if address.is_empty() || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let (text, _) = rest.split_once(';')?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The errors that ptxas prints, without the one that only says that there were some.
fn messages(text: &str) -> Vec<(Option<u32>, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("ptxas ") else { continue };
        // The word stands at the start or behind a `; `, not somewhere in a file's name or a message.
        let starts = std::iter::once(0).chain(rest.match_indices("; ").map(|(at, found)| at + found.len()));
        let message = |at: usize| {
            let after = rest[at..].strip_prefix("error").or_else(|| rest[at..].strip_prefix("fatal"))?;
            Some((at, after.trim_start().strip_prefix(':')?.trim()))
        };
        let Some((at, message)) = starts.into_iter().find_map(message) else { continue };
        if message == "Ptx assembly aborted due to errors" {
            continue;
        }
        let number = rest[..at].rsplit_once(", line ").and_then(|(_, n)| n.trim_end_matches("; ").parse().ok());
        found.push((number, message.to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_with_their_lines() {
        let text = "ptxas /t/error.ptx, line 14; error   : Rounding modifier required for instruction 'cvt'\n\
                    ptxas /t/a.ptx, line 15; fatal   : Parsing error near ';': syntax error\n\
                    ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n\
                    ptxas fatal   : Ptx assembly aborted due to errors\n";
        let found = messages(text);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], (Some(14), "Rounding modifier required for instruction 'cvt'".to_owned()));
        assert_eq!(found[1].0, Some(15));
        assert_eq!(found[2].0, None);
    }

    #[test]
    fn instructions_go_to_the_line_above_them() {
        let text = "\t.section\t.text.k\n\t//## File \"/t/in.ptx\", line 8 inlined at \"/t/in.ptx\", line 20\n\
                    \x20       /*0000*/              @!P0 F2I  R7, R2 ;    /* 0x12 */\n\
                    \t//## File \"/t/in.ptx\", line 9\n        /*0010*/  EXIT ;\n\t.section\t.x\n /*0000*/ NOP ;\n";
        let lines = listing(text);
        assert_eq!(lines[&8], ["@!P0 F2I R7, R2"]);
        assert_eq!(lines[&9], ["EXIT"]);
        assert_eq!(lines.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_does_not_end_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("30");
        assert!(matches!(output(&mut command, Duration::from_millis(30)), Err(Failure::TimedOut(_))));
    }
}
