// Runs the program as a child process that gets every signal once and gives this process its exit code.

const { spawn } = require("child_process");
const { describeHost, explainMusl } = require("./choose-node.cjs");

/** The interval of src/cli/stop.ts. */
const PARENT_CHECK_MS = 250;

function runChild([file, ...args], env) {
  // The program stops when the channel closes, so it does not outlive this process, not even after SIGKILL.
  const child = spawn(file, args, { env, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // Ctrl-C and systemd signal both processes. Over the channel the program can tell a relayed signal from a second one.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => relay(child, signal));
  child.on("error", (error) => {
    process.stderr.write(`animal-store: ${explainStart(error, file)}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  if (process.env.npm_lifecycle_event !== undefined) exitWithParent();
}

function relay(child, signal) {
  const killInstead = (error) => error && child.kill(signal);
  if (child.connected) child.send(signal, killInstead);
  else child.kill(signal);
}

/** npm does not pass all signals on. */
function exitWithParent() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, PARENT_CHECK_MS).unref();
}

/** The file exists. The system reports ENOENT when the loader that the file names does not. */
function explainStart(error, file) {
  return error.code === "ENOENT"
    ? explainMusl(describeHost())
    : `${file} cannot be started: ${error.message}`;
}

module.exports = { runChild };
