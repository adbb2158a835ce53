// Common tools accept the OpenAPI document: linters find no fault, and generated clients compile and make a call.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { makeFolder } from "../../harness/runner/folder.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";

/** Installed from the npm registry for this test alone. */
const TOOLS = {
  "openapi-typescript": "7.13.0",
  "openapi-fetch": "0.17.0",
  "@hey-api/openapi-ts": "0.99.0",
  orval: "8.38.0",
  "@redocly/cli": "2.73.0",
  "@stoplight/spectral-cli": "6.16.3",
  // The newest that openapi-typescript supports.
  typescript: "5.9.3",
};
/** Dependencies of orval: the newest releases in its ranges may need versions that a registry does not have yet. */
const OVERRIDES = { "@scalar/openapi-parser": "0.29.8", "@scalar/json-magic": "0.15.3" };
const INSTALL_MS = 300_000;
const COMMAND_MS = 120_000;

const COMPILER_OPTIONS = {
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
  module: "esnext",
  moduleResolution: "bundler",
  noEmit: true,
  strict: true,
  skipLibCheck: true,
};

/** Rules of Spectral that contradict OpenAPI 3.1: security requirements of every scheme may name roles there. */
const SPECTRAL_RULES = { extends: ["spectral:oas"], rules: { "oas3-operation-security-defined": "off" } };

/**
 * Each program creates an animal without the optional status and prints the answer. `Pet` of the generated types makes
 * sure that the answer is typed.
 */
const CLIENTS: Record<string, { command: string[]; config?: [file: string, text: string]; program: string }> =
  {
    "openapi-typescript and openapi-fetch": {
      command: ["openapi-typescript", "../openapi.json", "--output", "schema.ts"],
      program: `import createClient from "openapi-fetch";
import type { components, paths } from "./schema";
const client = createClient<paths>({ baseUrl: BASE, headers: { authorization: "Bearer " + KEY } });
const { data, error } = await client.POST("/pets", { body: NEW_PET });
if (data === undefined) throw new Error(error.message);
const pet: components["schemas"]["Pet"] = data;
console.log(JSON.stringify(pet));`,
    },
    "hey-api": {
      command: ["openapi-ts", "--input", "../openapi.json", "--output", "generated", "--no-log-file"],
      program: `import { createPet, type Pet } from "./generated";
import { client } from "./generated/client.gen";
client.setConfig({ baseUrl: BASE, auth: KEY });
const { data, error } = await createPet({ body: NEW_PET });
if (data === undefined) throw new Error(JSON.stringify(error));
const pet: Pet = data;
console.log(JSON.stringify(pet));`,
    },
    orval: {
      command: ["orval", "--config", "orval.config.mjs"],
      config: [
        "orval.config.mjs",
        `export default { api: {
  input: "../openapi.json",
  output: { target: "generated.ts", client: "fetch", baseUrl: { getBaseUrlFromSpecification: true } },
} };`,
      ],
      program: `import { createPet, type Pet } from "./generated";
const answer = await createPet(NEW_PET, { headers: { authorization: "Bearer " + KEY } });
if (answer.status !== 201) throw new Error(answer.data.message);
const pet: Pet = answer.data;
console.log(JSON.stringify(pet));`,
    },
  };

test("The OpenAPI document of a running service", { timeout: 900_000 }, async (t) => {
  const { url, service, call } = await startApp(t);
  const folder = makeFolder(t);
  await install(folder);
  const run = (place: string, [name = "", ...args]: string[]) =>
    runProgram(join(folder, "node_modules/.bin", name), args, { cwd: place, timeout: COMMAND_MS });
  writeFileSync(join(folder, "openapi.json"), (await service.app.inject("/openapi.json")).body);

  await t.test("passes Redocly's recommended rules without a warning", async () => {
    const report = JSON.parse(await run(folder, ["redocly", "lint", "--format", "json", "openapi.json"]));
    assert.deepEqual(report.totals, { errors: 0, warnings: 0, ignored: 0 });
  });

  await t.test("passes Spectral's OpenAPI rules without a warning", async () => {
    writeFileSync(join(folder, "spectral.json"), JSON.stringify(SPECTRAL_RULES));
    const options = ["--ruleset", "spectral.json", "--fail-severity", "hint"];
    assert.match(await run(folder, ["spectral", "lint", ...options, "openapi.json"]), /^No results/);
  });

  for (const [index, [name, { command, config, program }]] of Object.entries(CLIENTS).entries()) {
    await t.test(`becomes a client of ${name} that compiles and adds an animal`, async () => {
      const place = join(folder, `client-${index}`);
      mkdirSync(place);
      if (config !== undefined) writeFileSync(join(place, config[0]), config[1]);
      await run(place, command);
      const values = { BASE: `${url}/v1`, KEY: ADMIN_KEY, NEW_PET: { name, categoryId: 3 } };
      const constants = Object.entries(values).map(
        ([each, value]) => `const ${each} = ${JSON.stringify(value)};`,
      );
      writeFileSync(join(place, "main.ts"), `${constants.join("\n")}\n${program}\n`);
      writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
      await run(place, ["tsc"]);
      const outfile = join(place, "main.mjs");
      await build({
        entryPoints: [join(place, "main.ts")],
        outfile,
        bundle: true,
        format: "esm",
        logLevel: "error",
      });
      const printed = await runProgram(process.execPath, [outfile], { cwd: place, timeout: COMMAND_MS });
      const pet = { id: index + 1, name, categoryId: 3, status: "available" };
      assert.deepEqual(JSON.parse(printed), pet);
      assert.deepEqual((await call("GET", `/pets/${pet.id}`)).json, pet);
    });
  }
});

async function install(folder: string): Promise<void> {
  const manifest = { private: true, dependencies: TOOLS, overrides: OVERRIDES };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"];
  try {
    await runProgram("npm", ["install", ...options], { cwd: folder, timeout: INSTALL_MS });
  } catch (error) {
    const hint = "This test installs tools with npm. Is its registry reachable?";
    throw new Error(`${hint} ${(error as Error).message}`);
  }
}

/** Resolves to the standard output. An error has the complete output. */
async function runProgram(
  file: string,
  args: string[],
  options: { cwd: string; timeout: number },
): Promise<string> {
  try {
    return (await promisify(execFile)(file, args, options)).stdout;
  } catch (error) {
    const { message, stdout } = error as Error & { stdout: string };
    throw new Error(`${message}\n${stdout}`);
  }
}
