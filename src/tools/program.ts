// The version of the program, and the command that an operator types to run it.

import { readFileSync } from "node:fs";

const packageJson = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

export const VERSION: string = packageJson.version;

/** A clone runs the TypeScript sources through npm. The installed package is compiled and has its own command. */
export const COMMAND = import.meta.url.endsWith(".ts") ? "npm run -s animal-store --" : "animal-store";
