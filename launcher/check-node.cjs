// Ends `npm start` in a clone with one line if the current Node is too old to run TypeScript.

const { chooseNode, describeHost } = require("./choose-node.cjs");

const host = describeHost();
// npm has already put the runtime package first on the path, so only the current Node counts.
const { problem } = chooseNode(Object.assign(host, { findProgram: () => undefined }));
if (problem !== undefined) {
  process.stderr.write(`animal-store: ${problem}\n`);
  process.exitCode = 1;
}
