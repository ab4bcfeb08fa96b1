// Judge a list with robots-parser, as benches/matchers/robots-parser.toml says.
//
//     matcher.js AGENT ROBOTS LIST ALLOWED BLOCKED    writes each line of LIST to the file of its verdict
//     matcher.js AGENT ROBOTS LIST                    measures one URL at a time
//
// ROBOTS is a folder of robots.txt files, named by host. A file is parsed when the first URL of its host comes.

"use strict";

const fs = require("node:fs");
const path = require("node:path");
const robotsParser = require("robots-parser");

/** The bytes that output waits for before it is written. */
const BUFFER = 1 << 20;

/** How often the clock is read to know what that takes. */
const CLOCK_READS = 10000;

/** How long the pass may take that warms up. */
const WARM_MILLISECONDS = 1000;

/** The origin of a URL, as it is written there. */
function originOf(url) {
  const end = url.indexOf("/", 8);
  return end < 0 ? url : url.slice(0, end);
}

/** The rules of all origins, each parsed when it is first asked for. */
class Files {
  constructor(folder) {
    this.folder = folder;
    this.known = new Map();
  }

  /** The text of a host's file, or null if there is no file. */
  text(host) {
    const file = path.join(this.folder, host);
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null;
  }

  /** The rules for a URL; the library wants the URL of robots.txt, and answers only for its origin. */
  of(url) {
    const written = originOf(url);
    let rules = this.known.get(written);
    if (rules === undefined) {
      const { origin, hostname } = new URL(url);
      const text = this.text(hostname);
      rules = text === null ? null : robotsParser(origin + "/robots.txt", text);
      this.known.set(written, rules);
    }
    return rules;
  }
}

/** Output in large pieces. */
class Output {
  constructor(name) {
    this.file = fs.openSync(name, "w");
    this.pieces = [];
    this.bytes = 0;
  }

  put(line) {
    this.pieces.push(line);
    this.bytes += line.length;
    if (this.bytes >= BUFFER) this.flush();
  }

  flush() {
    fs.writeSync(this.file, Buffer.concat(this.pieces));
    this.pieces = [];
    this.bytes = 0;
  }
}

/** The lines of a file, each with its end. */
function* linesOf(file) {
  const data = fs.readFileSync(file);
  for (let at = 0; at < data.length; ) {
    const found = data.indexOf(10, at);
    const end = found < 0 ? data.length : found + 1;
    yield data.subarray(at, end);
    at = end;
  }
}

function textOf(line) {
  return line.toString("utf8").replace(/\r?\n$/, "");
}

/** Whether a URL may be fetched; the library answers undefined for one that is not of its origin. */
function allows(rules, url, agent) {
  return rules.isAllowed(url, agent);
}

function write(files, agent, list, allowed, blocked) {
  const outputs = [new Output(allowed), new Output(blocked)];
  for (const line of linesOf(list)) {
    const url = textOf(line);
    const rules = files.of(url);
    const verdict = rules === null ? undefined : allows(rules, url, agent);
    if (verdict !== undefined) outputs[verdict ? 0 : 1].put(line);
  }
  for (const output of outputs) output.flush();
}

/** Processor time used by the process, in seconds. */
function seconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** For each share, in thousandths, the smallest number that at least this share of the numbers does not exceed. */
function ranked(numbers, ...shares) {
  const ordered = Float64Array.from(numbers).sort();
  return shares.map((share) => Math.round(ordered[Math.ceil((ordered.length * share) / 1000) - 1]));
}

/** How long single calls take, each timed alone in one pass in list order, and what reading the clock takes. */
function latency(files, agent, urls) {
  const nanoseconds = () => performance.now() * 1e6;
  const times = [];
  for (const url of urls) {
    const start = nanoseconds();
    allows(files.of(url), url, agent);
    times.push(nanoseconds() - start);
  }
  const reads = [];
  for (let number = 0; number < CLOCK_READS; number++) reads.push(-(nanoseconds() - nanoseconds()));
  const [ns_p50, ns_p99, ns_p999] = ranked(times, 500, 990, 999);
  return { ns_p50, ns_p99, ns_p999, ns_clock: ranked(reads, 500)[0] };
}

/** Parses the files of all URLs; returns the seconds that this takes, without those of reading them. */
function parseAll(files, urls) {
  const read = [];
  for (const [written, url] of new Map(urls.map((url) => [originOf(url), url]))) {
    const { origin, hostname } = new URL(url);
    read.push([written, origin + "/robots.txt", files.text(hostname)]);
  }
  const start = seconds();
  for (const [written, place, text] of read) files.known.set(written, robotsParser(place, text));
  return seconds() - start;
}

/** Judges the URLs, or those that a second is enough for. */
function warm(files, agent, urls) {
  const end = performance.now() + WARM_MILLISECONDS;
  for (const url of urls) {
    allows(files.of(url), url, agent);
    if (performance.now() > end) return;
  }
}

function measure(files, agent, list) {
  const urls = [...linesOf(list)].map(textOf);
  const parsed = parseAll(files, urls);
  warm(files, agent, urls);
  const start = seconds();
  let allowed = 0;
  for (const url of urls) allowed += allows(files.of(url), url, agent) ? 1 : 0;
  const nanoseconds = (seconds() - start) * 1e9;
  const report = { urls: urls.length, allowed, ns_one: nanoseconds / urls.length, parse_seconds: parsed };
  console.log(JSON.stringify({ ...report, ...latency(files, agent, urls) }));
}

function main() {
  const [agent, robots, list, ...out] = process.argv.slice(2);
  if (list === undefined || ![0, 2].includes(out.length)) {
    console.error("usage: matcher.js AGENT ROBOTS LIST [ALLOWED BLOCKED]");
    process.exit(2);
  }
  const files = new Files(robots);
  if (out.length === 2) write(files, agent, list, ...out);
  else measure(files, agent, list);
}

main();
