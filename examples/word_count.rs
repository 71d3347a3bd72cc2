//! 10. Word count: a program. It counts the words in all files of a folder.
//!
//! ```text
//! cargo run --release --example word_count -- <folder> [workers]
//! ```
//!
//! A word is a run of alphanumeric characters, in lower case. Links are not followed.
//! What can't be counted (no permission, not UTF-8) is named on stderr, one line
//! each, and the count goes on.
//!
//! ```text
//!                  Next                  Done, Problem
//!   walker ◀───────────────── readers ─────────────────▶ console
//!          ─────────────────▶   │  ▲                       ▲
//!               one file        │  │ Finish                │ Finish
//!                               ▼  │                       │
//!                               job ───────────────────────┘
//! ```
//!
//! * The *walker* walks the folder on demand: each request takes it one file further.
//!   So it is never ahead of the readers, however large the folder is, and a reader
//!   that has a small file is back for the next one soon.
//! * The *readers* ask for a file, count its words, ask for the next.
//! * The *console* owns stderr: a progress line if that is a terminal, and problems,
//!   which never end up in the middle of one another. Its mailbox is bounded, so a
//!   slow terminal slows the readers down, and no heap of messages grows.
//! * The *job* starts them all and asks each reader for its sums. Should a reader
//!   fail, that ask fails at once, and so does the job.
//!
//! Reading a file blocks the worker that does it for a moment. That is fine where
//! files are what everyone waits for; a worker that is stuck has its queue taken over
//! by others.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File, ReadDir};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use uproar::{Runtime, RuntimeStats, prelude::*};

/// Readers per worker: more than one, so that a worker has something to do, and
/// thieves something to steal, while one of its readers waits.
const READERS: usize = 4;

/// What is read at once.
const CHUNK: usize = 64 * 1024;

/// How many of the most frequent words are printed.
const TOP: usize = 20;

/// For the next file, if there is one.
struct Next(ReplyTo<Option<PathBuf>>);

/// A file has been counted.
struct Done {
    bytes: u64,
}

/// Something has not.
struct Problem(String);

/// For an actor's results, when it has done all it had to do.
struct Finish<R>(ReplyTo<R>);

/// Reports a problem, and waits while the console is behind.
async fn complain(console: &Recipient<Problem>, path: &Path, error: impl std::fmt::Display) {
    // A file name may contain line breaks. The report is one line nevertheless.
    let name: String = path
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    // The console outlives everyone who complains; were it gone, so were the report.
    let _ = console.deliver(Problem(format!("{name}: {error}"))).await;
}

// ------------------------------------------------------------------ the walker

/// What the walk has passed by.
#[derive(Clone, Copy, Debug, Default)]
struct Skipped {
    links: u64,
    special: u64,
}

struct Walk {
    /// The folders that are being read, from the top down.
    folders: Vec<(PathBuf, ReadDir)>,
    skipped: Skipped,
    console: Recipient<Problem>,
}

impl Walk {
    /// The next file.
    async fn next(&mut self) -> Option<PathBuf> {
        loop {
            let (folder, entries) = self.folders.last_mut()?;
            let entry = match entries.next() {
                Some(entry) => entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))),
                None => {
                    self.folders.pop();
                    continue;
                }
            };
            match entry {
                Ok((path, kind)) if kind.is_dir() => match fs::read_dir(&path) {
                    Ok(entries) => self.folders.push((path, entries)),
                    Err(error) => complain(&self.console, &path, error).await,
                },
                Ok((path, kind)) if kind.is_file() => return Some(path),
                Ok((_, kind)) if kind.is_symlink() => self.skipped.links += 1,
                Ok(_) => self.skipped.special += 1,
                Err(error) => complain(&self.console, &folder.clone(), error).await,
            }
        }
    }
}

#[actor]
async fn walker(folder: PathBuf, entries: ReadDir, console: Recipient<Problem>) {
    let mut walk = Walk {
        folders: vec![(folder, entries)],
        skipped: Skipped::default(),
        console,
    };
    loop {
        #[receive]
        match receive().await {
            Next(reply_to) => reply_to.send(walk.next().await),
            Finish::<Skipped>(reply_to) => reply_to.send(walk.skipped),
        }
    }
}

// ----------------------------------------------------------------- the readers

/// Words and how often they occur.
type Words = HashMap<String, u64>;

#[derive(Debug, Default)]
struct Tally {
    files: u64,
    bytes: u64,
    words: Words,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.files += other.files;
        self.bytes += other.bytes;
        if self.words.is_empty() {
            self.words = other.words;
            return;
        }
        for (word, count) in other.words {
            *self.words.entry(word).or_default() += count;
        }
    }
}

/// Counts a word.
fn count(words: &mut Words, word: &str) {
    let is_lower = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let lower = if word.bytes().all(is_lower) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase())
    };
    match words.get_mut(&*lower) {
        Some(count) => *count += 1,
        None => drop(words.insert(lower.into_owned(), 1)),
    }
}

/// Counts one file, in pieces, so that a large one neither has to fit into memory
/// nor keeps other actors from their turn.
async fn read(path: &Path) -> io::Result<Tally> {
    let not_text = || io::Error::new(io::ErrorKind::InvalidData, "not UTF-8");
    let mut file = File::open(path)?;
    let mut tally = Tally {
        files: 1,
        ..Tally::default()
    };
    // The piece begins with what is left of the one before: a word that may go on,
    // and perhaps a part of a character.
    let mut piece = Vec::with_capacity(CHUNK);
    let mut word = 0;
    loop {
        let read = (&mut file).take(CHUNK as u64).read_to_end(&mut piece)?;
        tally.bytes += read as u64;
        let end = match str::from_utf8(&piece[word..]) {
            Ok(_) => piece.len(),
            // A character is cut off. The next piece has the rest of it.
            Err(error) if error.error_len().is_none() && read > 0 => word + error.valid_up_to(),
            Err(_) => return Err(not_text()),
        };
        let text = str::from_utf8(&piece[..end]).map_err(|_| not_text())?;
        // Up to where the words are whole.
        let whole = if read == 0 {
            end
        } else {
            let last = text[word..].rfind(|c: char| !c.is_alphanumeric());
            last.map_or(0, |at| word + at)
        };
        for word in text[..whole].split(|c: char| !c.is_alphanumeric()) {
            if !word.is_empty() {
                count(&mut tally.words, word);
            }
        }
        if read == 0 {
            return Ok(tally);
        }
        piece.drain(..whole);
        word = end - whole;
        // Reading and counting await nothing, so say what they cost.
        consume_reductions(32).await;
    }
}

#[actor]
async fn reader(
    walker: Address<Walker>,
    console: Address<Console>,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut tally = Tally::default();
    let problems = console.recipient();
    while let Some(path) = walker.ask(Next).await? {
        match read(&path).await {
            Ok(file) => {
                console.deliver(Done { bytes: file.bytes }).await?;
                tally.add(file);
            }
            Err(error) => complain(&problems, &path, error).await,
        }
    }
    // The job has asked long ago. The request has been waiting in the mailbox.
    #[receive]
    match receive().await {
        Finish::<Tally>(reply_to) => reply_to.send(tally),
    }
    Ok(())
}

// ----------------------------------------------------------------- the console

/// Writes to stderr, if anyone is there to read it.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Shows progress and problems. Finishes with the number of problems.
#[actor]
async fn console(progress: bool) {
    const PERIOD: Duration = Duration::from_millis(100);

    let clear = if progress { "\r\x1b[K" } else { "" };
    let (mut files, mut bytes, mut problems) = (0, 0, 0);
    let mut next = now() + PERIOD;
    loop {
        // Nobody looks at the line more often than that.
        let wait = if progress {
            next.saturating_duration_since(now())
        } else {
            Duration::MAX
        };
        #[receive(timeout = wait)]
        match receive().await {
            Done { bytes: n } => {
                files += 1;
                bytes += n;
            }
            Problem(problem) => {
                problems += 1;
                say(&format!("{clear}{problem}\n"));
            }
            Finish::<u64>(reply_to) => {
                say(clear);
                reply_to.send(problems);
            }
            Timeout => {
                say(&format!(
                    "{clear}{files} files, {:.1} MB",
                    bytes as f64 / 1e6
                ));
                next = now() + PERIOD;
            }
        }
    }
}

// --------------------------------------------------------------------- the job

#[derive(Debug)]
struct Report {
    tally: Tally,
    skipped: Skipped,
    problems: u64,
}

#[actor]
async fn job(
    folder: PathBuf,
    entries: ReadDir,
    readers: usize,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let console = Spawn::new()
        .mailbox(Mailbox::bounded(256))
        .spawn(console(io::stderr().is_terminal()))?;
    let walker = spawn(walker(folder, entries, console.recipient()));
    let readers: Vec<Address<Reader>> = (0..readers)
        .map(|_| spawn(reader(walker.clone(), console.clone())))
        .collect();
    let mut tally = Tally::default();
    for reader in readers {
        tally.add(reader.ask(Finish::<Tally>).await?);
    }
    // Each reader has delivered its problems before it replied, so the console has
    // them all before it gets this request.
    let report = Report {
        tally,
        skipped: walker.ask(Finish::<Skipped>).await?,
        problems: console.ask(Finish::<u64>).await?,
    };
    #[receive]
    match receive().await {
        Finish::<Report>(reply_to) => reply_to.send(report),
    }
    Ok(())
}

// ---------------------------------------------------------------- the program

fn main() -> ExitCode {
    let (folder, workers) = match arguments(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            say(&format!("word_count: {error}\n"));
            return ExitCode::from(2);
        }
    };
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => {
            say(&format!("word_count: {}: {error}\n", folder.display()));
            return ExitCode::from(2);
        }
    };
    match run(folder, entries, workers) {
        Ok(text) => match io::stdout().write_all(text.as_bytes()) {
            // `word_count . | head -3` has all it wants.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                say(&format!("word_count: {error}\n"));
                ExitCode::FAILURE
            }
            _ => ExitCode::SUCCESS,
        },
        Err(error) => {
            say(&format!("word_count: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn arguments(
    mut given: impl Iterator<Item = OsString>,
) -> Result<(PathBuf, Option<usize>), &'static str> {
    const USAGE: &str = "usage: word_count <folder> [workers]";
    let folder = given.next().ok_or(USAGE)?;
    let workers = match given.next() {
        None => None,
        Some(text) => {
            let number = text.to_str().and_then(|text| text.parse().ok());
            Some(number.filter(|&number| number > 0).ok_or(USAGE)?)
        }
    };
    match given.next() {
        None => Ok((folder.into(), workers)),
        Some(_) => Err(USAGE),
    }
}

fn run(
    folder: PathBuf,
    entries: ReadDir,
    workers: Option<usize>,
) -> Result<String, Box<dyn Error>> {
    let start = std::time::Instant::now();
    let workers = match workers {
        Some(workers) => workers,
        // One for each core: this thread only waits.
        None => std::thread::available_parallelism()?.get(),
    };
    let runtime = Runtime::builder().workers(workers).start()?;
    let readers = READERS * workers;
    let job = runtime.spawn(job(folder, entries, readers));
    let report = job.ask(Finish::<Report>).wait()?;
    Ok(describe(&report, start.elapsed(), &runtime.stats()))
}

fn describe(report: &Report, took: Duration, stats: &RuntimeStats) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let mut top: Vec<(&String, &u64)> = report.tally.words.iter().collect();
    top.sort_unstable_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    for (word, count) in top.iter().take(TOP) {
        let _ = writeln!(text, "{count:>10} {word}");
    }
    let Tally {
        files,
        bytes,
        words,
    } = &report.tally;
    let all: u64 = words.values().sum();
    let Skipped { links, special } = report.skipped;
    let _ = write!(
        text,
        "\n{files} files, {bytes} bytes, {all} words, {} different\n\
         not counted: {} with problems, {links} symbolic links, {special} special files\n\
         {:.3} seconds\n\n\
         worker    slices  messages    stole  robbed of\n",
        words.len(),
        report.problems,
        took.as_secs_f64(),
    );
    for worker in &stats.workers {
        let _ = writeln!(
            text,
            "{:>6} {:>9} {:>9} {:>8} {:>10}",
            worker.id, worker.slices, worker.messages, worker.steals, worker.stolen
        );
    }
    text
}
