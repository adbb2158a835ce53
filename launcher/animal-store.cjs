#!/usr/bin/env node
// The command of the package: runs the program with the right Node. Any Node since 12 can run this file.

const fs = require("fs");
const os = require("os");
const path = require("path");
const { pathToFileURL } = require("url");
const { chooseNode, describeHost } = require("./choose-node.cjs");
const { runChild } = require("./run-child.cjs");

/** As in `npm start`. */
const SERVE_FLAGS = ["--max-semi-space-size=8"];
const ROOT = path.join(__dirname, "..");
const COMPILED = path.join(ROOT, "src/main.js");

const isPackage = fs.existsSync(COMPILED);
const main = isPackage ? COMPILED : path.join(ROOT, "src/main.ts");
const given = process.argv.slice(2);
// Without a command, the package runs the service. A clone has `npm start` for this.
const args = isPackage && given.length === 0 ? ["serve"] : given;
const flags = args[0] === "serve" ? SERVE_FLAGS : [];

const { file, problem } = chooseNode(describeHost());
if (problem !== undefined) {
  process.stderr.write(`animal-store: ${problem}\n`);
  process.exitCode = 1;
} else if (flags.length === 0 && fs.realpathSync(file) === fs.realpathSync(process.execPath)) {
  void import(pathToFileURL(main).href);
} else {
  run([file].concat(flags, main, args), Object.assign({}, process.env, findCompileCache()));
}

/** Replaces this process where Node can do that (22.15, 23.11), and starts a child process otherwise. */
function run(words, env) {
  if (typeof process.execve === "function" && process.platform !== "win32")
    process.execve(words[0], words, env);
  else runChild(words, env);
}

/**
 * Where Node keeps compiled code if the user cannot write to the package: in the home folder of the user, not in the
 * temporary folder or in $HOME, where other users could place code.
 */
function findCompileCache() {
  if (process.env.NODE_COMPILE_CACHE !== undefined || canWrite(ROOT)) return {};
  try {
    return { NODE_COMPILE_CACHE: path.join(os.userInfo().homedir, ".cache/animal-store") };
  } catch (_userWithoutHome) {
    return {};
  }
}

function canWrite(folder) {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch (_readOnly) {
    return false;
  }
}
