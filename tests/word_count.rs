//! The example `word_count` on a real folder, beside a sequential count of it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The example, built with the profile of this test.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().expect("a test has a file");
        // target/<profile>/deps/word_count-<hash> beside target/<profile>/examples/.
        let profile = test
            .ancestors()
            .nth(2)
            .expect("it is in a folder of cargo's");
        let target = profile.parent().expect("which is in the target folder");
        // `cargo test` has built it, and there is nothing to do; `cargo test --test
        // word_count` has not.
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--example", "word_count", "--target-dir"]);
        build.arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
        if profile.ends_with("release") {
            build.arg("--release");
        }
        let built = build.output().expect("cargo runs");
        assert!(built.status.success(), "{}", stderr(&built));
        let name = format!("word_count{}", std::env::consts::EXE_SUFFIX);
        profile.join("examples").join(name)
    })
}

fn word_count(arguments: &[&Path]) -> Output {
    Command::new(program())
        .args(arguments)
        .output()
        .expect("the example runs")
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("it prints text")
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("it prints text")
}

/// A folder for one test, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("uproar-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a place for temporary files");
        Folder(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A count without actors, of whole files, one after the other.
#[derive(Default)]
struct Sequential {
    files: usize,
    bytes: usize,
    words: HashMap<String, usize>,
}

impl Sequential {
    fn of(folder: &Path) -> Sequential {
        let mut count = Sequential::default();
        count.walk(folder);
        count
    }

    fn walk(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let kind = entry.file_type().expect("a kind of file");
            if kind.is_dir() {
                self.walk(&entry.path());
            } else if kind.is_file() {
                // What can't be read, and what is not UTF-8, does not count.
                if let Ok(text) = fs::read_to_string(entry.path()) {
                    self.count(&text);
                }
            }
        }
    }

    fn count(&mut self, text: &str) {
        self.files += 1;
        self.bytes += text.len();
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            if c.is_alphanumeric() {
                word.push(c);
            } else if !word.is_empty() {
                *self.words.entry(word.to_lowercase()).or_default() += 1;
                word.clear();
            }
        }
    }

    /// What the example is to print before the figures of the run.
    fn report(&self) -> String {
        let mut top: Vec<_> = self.words.iter().collect();
        top.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let mut report: String = top
            .iter()
            .take(20)
            .map(|(word, count)| format!("{count:>10} {word}\n"))
            .collect();
        report += &format!(
            "\n{} files, {} bytes, {} words, {} different\n",
            self.files,
            self.bytes,
            self.words.values().sum::<usize>(),
            self.words.len(),
        );
        report
    }
}

fn assert_same_as_sequential(folder: &Path, output: &Output) {
    let expected = Sequential::of(folder).report();
    let (printed, wanted) = (stdout(output), expected.as_str());
    assert!(
        printed.starts_with(wanted),
        "printed:\n{printed}\nwanted:\n{wanted}"
    );
}

/// A text of many words, some of them frequent, and not all of one alphabet.
fn text(seed: u64, words: u64) -> String {
    let mut state = seed;
    let mut text = String::new();
    for n in 0..words {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let word = (state >> 33) % (1 + (state >> 40) % 500);
        let separator = [" ", "\n", ", ", " - ", "… "][(n % 5) as usize];
        match word % 7 {
            0 => text += &format!("Straße{word}{separator}"),
            1 => text += &format!("ЖИВОЙ{word}{separator}"),
            2 => text += &format!("İ{word}Σ{separator}"),
            _ => text += &format!("word{word}{separator}"),
        }
    }
    text
}

#[test]
fn the_total_is_that_of_a_sequential_count() {
    let folder = Folder::new("total");
    for n in 0..120u64 {
        folder.write(&format!("{}/{}/{n}.txt", n % 3, n % 7), text(n, n * 10));
    }
    folder.write(".hidden/also", "counted too");
    folder.write("empty", "");
    for workers in ["1", "2", "5"] {
        let output = word_count(&[&folder.0, Path::new(workers)]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stderr(&output), "");
        assert_same_as_sequential(&folder.0, &output);
        let workers = stdout(&output)
            .lines()
            .rev()
            .take_while(|l| !l.contains("worker"));
        assert!(workers.count() >= 1);
    }
    let output = word_count(&[&folder.0]);
    assert_same_as_sequential(&folder.0, &output);
}

#[test]
fn a_file_larger_than_a_piece_is_counted_whole() {
    let folder = Folder::new("large");
    // Characters of several bytes, and a word, across the borders of all pieces.
    folder.write("umlauts", "ä".repeat(100_000));
    folder.write("odd", format!("x{}", "ж".repeat(200_000)));
    folder.write("words", text(1, 100_000));
    let output = word_count(&[&folder.0]);
    assert_eq!(stderr(&output), "");
    assert_same_as_sequential(&folder.0, &output);
}

#[test]
fn problems_are_named_and_the_count_goes_on() {
    let folder = Folder::new("problems");
    folder.write("good", "one two two");
    folder.write("latin1", b"caf\xe9 and a long rest");
    // Valid for longer than one piece, and cut off within a character.
    folder.write("cut", [text(2, 30_000).as_bytes(), b"\xc3"].concat());
    folder.write("line\nbreak", b"\xff");
    let output = word_count(&[&folder.0]);
    assert!(output.status.success());
    assert_same_as_sequential(&folder.0, &output);
    assert!(stdout(&output).contains("\n1 files, 11 bytes, 3 words, 2 different\n"));
    assert!(stdout(&output).contains("not counted: 3 with problems,"));
    let mut problems: Vec<&str> = stderr(&output).lines().collect();
    problems.sort_unstable();
    assert_eq!(problems.len(), 3, "{problems:?}");
    for (problem, name) in problems.iter().zip(["cut", "latin1", "line?break"]) {
        assert!(
            problem.ends_with(&format!("{name}: not UTF-8")),
            "{problem}"
        );
    }
}

#[cfg(unix)]
#[test]
fn links_and_special_files_are_skipped_and_counted() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let folder = Folder::new("links");
    folder.write("inner/file", "once");
    symlink(&folder.0, folder.0.join("loop")).expect("a link");
    symlink("inner/file", folder.0.join("again")).expect("a link");
    symlink("nowhere", folder.0.join("dangling")).expect("a link");
    let _socket = UnixListener::bind(folder.0.join("socket")).expect("a socket");
    let output = word_count(&[&folder.0]);
    assert_eq!(stderr(&output), "");
    assert_same_as_sequential(&folder.0, &output);
    let skipped = "not counted: 0 with problems, 3 symbolic links, 1 special files\n";
    assert!(stdout(&output).contains(skipped), "{}", stdout(&output));
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_named_and_the_count_goes_on() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new("permissions");
    folder.write("good", "still counted");
    folder.write("secret", "never counted");
    folder.write("closed/file", "never counted");
    let forbid = |name: &str, mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(folder.0.join(name), mode).expect("it is ours");
    };
    forbid("secret", 0o000);
    forbid("closed", 0o000);
    let is_root = fs::read(folder.0.join("secret")).is_ok();
    let output = word_count(&[&folder.0]);
    forbid("closed", 0o700);
    assert!(output.status.success());
    if is_root {
        // Nothing is forbidden to root.
        return;
    }
    assert!(stdout(&output).contains("\n1 files, 13 bytes, 2 words, 2 different\n"));
    let mut problems: Vec<&str> = stderr(&output).lines().collect();
    problems.sort_unstable();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("closed: "), "{problems:?}");
    assert!(problems[1].contains("secret: "), "{problems:?}");
}

#[test]
fn mistakes_in_the_command_are_one_line_and_exit_code_2() {
    let folder = Folder::new("mistakes");
    folder.write("file", "");
    let (missing, file) = (folder.0.join("missing"), folder.0.join("file"));
    let none = Path::new("0");
    let mistakes: [&[&Path]; 5] = [
        &[],
        &[&missing],
        &[&file],
        &[&folder.0, none],
        &[&folder.0, Path::new("1"), none],
    ];
    for arguments in mistakes {
        let output = word_count(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert!(stderr(&output).starts_with("word_count: "));
        assert_eq!(stdout(&output), "");
    }
}
