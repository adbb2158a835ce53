// Preloaded: this Node says that it is Node 20 and has no process.execve.

require("./hide-execve.cjs");
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });
