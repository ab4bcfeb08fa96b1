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

/** The rules of all origins, each parsed when it is first asked for. */
class Files {
  constructor(folder) {
    this.folder = folder;
    this.known = new Map();
  }

  /** The rules for a URL; the library wants the URL of robots.txt, and answers only for its origin. */
  of(url) {
    const end = url.indexOf("/", 8);
    const written = end < 0 ? url : url.slice(0, end);
    let rules = this.known.get(written);
    if (rules === undefined) {
      const { origin, hostname } = new URL(url);
      const file = path.join(this.folder, hostname);
      rules = fs.existsSync(file) ? robotsParser(origin + "/robots.txt", fs.readFileSync(file, "utf8")) : null;
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

function measure(files, agent, list) {
  const urls = [...linesOf(list)].map(textOf);
  let start = seconds();
  for (const url of urls) files.of(url);
  const parsed = seconds() - start;
  start = seconds();
  let allowed = 0;
  for (const url of urls) allowed += allows(files.of(url), url, agent) ? 1 : 0;
  const nanoseconds = (seconds() - start) * 1e9;
  const report = { urls: urls.length, allowed, ns_one: nanoseconds / urls.length, parse_seconds: parsed };
  console.log(JSON.stringify(report));
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
