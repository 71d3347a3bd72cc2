//! Reads JSON lines (files, or standard input), prints Markdown: one matrix of
//! medians, a table per workload, and uproar's ratios to the others.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::Value;

const COMMON: [&str; 10] = [
    "contender",
    "workload",
    "params",
    "ops",
    "seconds",
    "ops_per_s",
    "ns_per_op",
    "peak_rss_kib",
    "cpu_s",
    "other_cpu_s",
];

#[derive(Default)]
struct Cell {
    runs: Vec<BTreeMap<String, f64>>,
}

impl Cell {
    fn all(&self, key: &str) -> Vec<f64> {
        let mut v: Vec<f64> = self
            .runs
            .iter()
            .filter_map(|r| r.get(key).copied())
            .collect();
        v.sort_by(f64::total_cmp);
        v
    }
    fn median(&self, key: &str) -> Option<f64> {
        let v = self.all(key);
        (!v.is_empty()).then(|| v[v.len() / 2])
    }
}

fn num(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else if x < 10.0 {
        format!("{x:.2}")
    } else if x < 100.0 {
        format!("{x:.1}")
    } else {
        let s = format!("{x:.0}");
        let mut out = String::new();
        for (i, c) in s.chars().enumerate() {
            if i > 0 && (s.len() - i) % 3 == 0 {
                out.push(' ');
            }
            out.push(c);
        }
        out
    }
}

/// What a workload is about, for the ratios: nanoseconds an operation, if not
/// something else.
fn figures(workload: &str) -> &'static [(&'static str, &'static str)] {
    match workload {
        "idle" => &[
            ("ns_per_op", ""),
            ("touched_bytes_per_actor", ": bytes each"),
        ],
        "timers" => &[
            ("late_p99_us", ": late p99, µs"),
            ("timer_cpu_s", ": CPU, s"),
        ],
        "chain" | "echo" => &[("ns_per_op", ""), ("p99_us", ": p99, µs")],
        _ => &[("ns_per_op", "")],
    }
}

/// Parameters that choose one contender's variant of the same work.
const VARIANTS: [&str; 5] = ["cap=0", "split=1", "reuse=1", "hibernate=1", "start=1"];

fn base(params: &str) -> Vec<&str> {
    let words = params.split_whitespace();
    words.filter(|w| !VARIANTS.contains(w)).collect()
}

type Rival = fn(&str) -> bool;

fn peer(name: &str) -> bool {
    !name.starts_with("uproar") && !name.ends_with("+mi")
}

fn tokio(name: &str) -> bool {
    name == "tokio"
}

fn crates(name: &str) -> bool {
    let crates = ["actix", "kameo", "ractor", "xtra"];
    peer(name) && crates.iter().any(|c| name.starts_with(c))
}

/// A ratio; a lost one stands out.
fn mark(ratio: f64) -> String {
    if ratio > 1.0 {
        format!("**{ratio:.2}**")
    } else {
        format!("{ratio:.2}")
    }
}

type Job = (String, String);

fn short((workload, params): &Job) -> String {
    format!("{workload} {params}").trim().to_string()
}

/// Jobs (workload, params) and contenders in the order of first appearance.
#[derive(Default)]
struct Results {
    jobs: Vec<Job>,
    names: Vec<String>,
    cells: BTreeMap<(usize, usize), Cell>,
}

impl Results {
    fn read(text: &str) -> Self {
        fn at<T: PartialEq>(v: &mut Vec<T>, x: T) -> usize {
            v.iter().position(|y| *y == x).unwrap_or_else(|| {
                v.push(x);
                v.len() - 1
            })
        }
        let mut all = Results::default();
        for line in text.lines().filter(|l| l.starts_with('{')) {
            let v: Value = serde_json::from_str(line).unwrap();
            let s = |k: &str| v[k].as_str().unwrap_or_default().to_string();
            let j = at(&mut all.jobs, (s("workload"), s("params")));
            let n = at(&mut all.names, s("contender"));
            let run = v.as_object().unwrap().iter();
            let run = run
                .filter_map(|(k, v)| Some((k.clone(), v.as_f64()?)))
                .collect();
            all.cells.entry((j, n)).or_default().runs.push(run);
        }
        // Runs that other processes disturbed are left out, where others remain.
        for c in all.cells.values_mut() {
            let calm = |r: &BTreeMap<String, f64>| {
                let get = |k: &str| r.get(k).copied().unwrap_or(0.0);
                get("other_cpu_s") < 0.03 + 0.05 * get("seconds")
            };
            if c.runs.iter().any(calm) {
                c.runs.retain(calm);
            }
        }
        all
    }

    fn matrix(&self) {
        println!("## Median ns per op\n");
        print!("| workload |");
        self.names.iter().for_each(|n| print!(" {n} |"));
        print!("\n|---|");
        self.names.iter().for_each(|_| print!("--:|"));
        println!();
        for (j, job) in self.jobs.iter().enumerate() {
            let median = |n| self.cells.get(&(j, n))?.median("ns_per_op");
            print!("| {} |", short(job));
            let best = (0..self.names.len())
                .filter_map(median)
                .fold(f64::INFINITY, f64::min);
            for n in 0..self.names.len() {
                match median(n) {
                    Some(x) if x == best => print!(" **{}** |", num(x)),
                    Some(x) => print!(" {} |", num(x)),
                    None => print!(" |"),
                }
            }
            println!();
        }
    }

    fn details(&self) {
        for (j, job) in self.jobs.iter().enumerate() {
            println!("\n### {}\n", short(job));
            let here: Vec<(&String, &Cell)> = self
                .names
                .iter()
                .enumerate()
                .filter_map(|(n, x)| Some((x, self.cells.get(&(j, n))?)))
                .collect();
            let mut extra: Vec<String> = Vec::new();
            for key in here
                .iter()
                .flat_map(|(_, c)| &c.runs)
                .flat_map(|r| r.keys())
            {
                if !COMMON.contains(&key.as_str()) && !extra.contains(key) {
                    extra.push(key.clone());
                }
            }
            print!("| contender | ns/op | min | max | ops/s | CPU s | peak RSS MiB |");
            extra.iter().for_each(|k| print!(" {k} |"));
            print!("\n|---|--:|--:|--:|--:|--:|--:|");
            extra.iter().for_each(|_| print!("--:|"));
            println!();
            for (name, c) in here {
                let v = c.all("ns_per_op");
                let m = |k: &str| c.median(k).unwrap_or(0.0);
                print!(
                    "| {name} | {} | {} | {} | {} | {} | {} |",
                    num(m("ns_per_op")),
                    num(v[0]),
                    num(v[v.len() - 1]),
                    num(m("ops_per_s")),
                    num(m("cpu_s")),
                    num(m("peak_rss_kib") / 1024.0)
                );
                extra
                    .iter()
                    .for_each(|k| print!(" {} |", c.median(k).map(num).unwrap_or_default()));
                println!();
            }
        }
    }

    /// The least median of a figure among those contenders, and whose it is. A
    /// contender's own variant of a job counts too.
    fn least(&self, job: &Job, figure: &str, of: impl Fn(&str) -> bool) -> Option<(f64, &str)> {
        let same = |j: usize| self.jobs[j].0 == job.0 && base(&self.jobs[j].1) == base(&job.1);
        self.cells
            .iter()
            .filter(|((j, n), _)| same(*j) && of(&self.names[*n]))
            .filter_map(|((_, n), c)| Some((c.median(figure)?, self.names[*n].as_str())))
            .filter(|(x, _)| *x > 0.0)
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn ratios(&self, subject: &str) {
        let alone = format!("{subject}-1w");
        let rivals: [(&str, Rival); 3] = [
            ("best peer", peer),
            ("tokio", tokio),
            ("best actor crate", crates),
        ];
        println!("\n## Ratios of {subject}\n");
        print!("| workload | {subject} | {alone} |");
        rivals.iter().for_each(|(r, _)| print!(" {r} | ratio |"));
        print!("\n|---|--:|--:|");
        rivals.iter().for_each(|_| print!("--:|--:|"));
        println!();
        let mut logs: [Vec<f64>; 3] = Default::default();
        let common = |p: &str| p.split_whitespace().all(|w| !VARIANTS.contains(&w));
        for job in self.jobs.iter().filter(|j| common(&j.1)) {
            for (figure, label) in figures(&job.0) {
                let of = |name: &str| self.least(job, figure, |n| n == name);
                let (Some((ours, _)), Some(_)) = (of(subject), self.least(job, figure, peer))
                else {
                    continue;
                };
                let one = of(&alone).map(|(x, _)| num(x)).unwrap_or_default();
                print!("| {}{label} | {} | {one} |", short(job), num(ours));
                for ((title, rival), logs) in rivals.iter().zip(&mut logs) {
                    let Some((x, name)) = self.least(job, figure, rival) else {
                        print!(" | |");
                        continue;
                    };
                    let name = if name == *title { "" } else { name };
                    let ratio = ours / x;
                    logs.push(ratio.ln());
                    print!(
                        " {} | {} |",
                        format!("{} {name}", num(x)).trim(),
                        mark(ratio)
                    );
                }
                println!();
            }
        }
        print!("| **geometric mean** | | |");
        for logs in logs {
            let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
            print!(" {} rows | {} |", logs.len(), mark(mean));
        }
        println!();
    }
}

fn main() {
    let mut text = String::new();
    for f in std::env::args().skip(1) {
        text += &std::fs::read_to_string(f).unwrap();
    }
    if text.is_empty() {
        std::io::stdin().read_to_string(&mut text).unwrap();
    }
    let all = Results::read(&text);
    all.matrix();
    all.details();
    let ours = |n: &&String| n.starts_with("uproar") && !n.ends_with("-1w") && !n.ends_with("+mi");
    for subject in all.names.iter().filter(ours) {
        all.ratios(subject);
    }
}
