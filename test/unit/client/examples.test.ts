// Every export of the packed client and every method has an example in its declaration, and all examples compile.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { OPERATIONS } from "../../../client/src/client.ts";
import { column } from "../../harness/clients/pages.ts";
import { compile, unpackClient } from "./packed.ts";

interface Declaration {
  name: string;
  /** Whether the export is a value, not only a type. */
  isValue: boolean;
  /** The JSDoc comment, without stars. */
  comment: string;
}

const COMMENT = String.raw`(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?`;
const DECLARATION = new RegExp(
  String.raw`${COMMENT}^export (?:declare )?(class|interface|type|const|function) (\w+)`,
  "gm",
);
const METHOD = new RegExp(String.raw`${COMMENT}^ {4}(\w+)\(`, "gm");

function declarationsOf(text: string): Declaration[] {
  return [...text.matchAll(DECLARATION)].map(([, comment = "", kind = "", name = ""]) => ({
    name,
    isValue: kind !== "interface" && kind !== "type",
    comment: unstar(comment),
  }));
}

/** The exports of a declaration file, with those that it takes from other files. */
function exportsOf(file: string): Declaration[] {
  const text = readFileSync(file, "utf8");
  const taken = [...text.matchAll(/^export (?:type )?(?:\*|\{([^}]*)\}) from "([^"]+)"/gm)].flatMap(
    ([, names, from = ""]) => {
      const all = exportsOf(join(dirname(file), from.replace(/\.[jt]s$/, ".d.ts")));
      const wanted = names?.match(/\w+(?=\s*(?:,|$))/g);
      return wanted == null ? all : wanted.map((name) => findByName(all, name));
    },
  );
  const own = declarationsOf(text);
  return [...new Map([...taken, ...own].map((each) => [each.name, each])).values()];
}

function findByName(all: Declaration[], wanted: string): Declaration {
  const found = all.find(({ name }) => name === wanted);
  assert.ok(found, `${wanted} is not declared`);
  return found;
}

function unstar(comment: string): string {
  return comment.replaceAll(/^\s*\* ?/gm, "").trimEnd();
}

function examplesOf({ comment }: Declaration): string[] {
  return [...comment.matchAll(/^@example\n((?:(?!^@)[\s\S])*)/gm)].map(([, code = ""]) => code.trim());
}

test("every export and every method of the package has an example, and all examples compile", async (t) => {
  const { folder, place } = await unpackClient(t);
  const exported = exportsOf(join(place, "dist/client.d.ts"));
  const names = exported.map(({ name }) => name);
  const actual = Object.keys(await import(join(place, "dist/client.js")));
  assert.deepEqual(
    exported.flatMap(({ name, isValue }) => (isValue ? [name] : [])).toSorted(),
    actual.toSorted(),
    "the declarations are read completely",
  );
  for (const name of ["Pet", "ListPetsQuery", "Int64", "Client", "PostOptions", "ErrorCode"])
    assert.ok(names.includes(name), name);

  const operations = readFileSync(join(place, "dist/generated/operations.d.ts"), "utf8");
  const methods = [...operations.matchAll(METHOD)].map(([, comment = "", name = ""]) => ({
    name,
    isValue: false,
    comment: unstar(comment),
  }));
  assert.deepEqual(column(methods, "name"), Object.keys(OPERATIONS));
  const all = [...exported, ...methods];
  assert.deepEqual(
    all.filter((each) => examplesOf(each).length === 0).map(({ name }) => name),
    [],
    "without an example",
  );

  const functions = all.flatMap((each) =>
    examplesOf(each).map((code, index) => `async function ${each.name}Example${index}() {\n${code}\n}`),
  );
  const values = exported.filter(({ isValue }) => isValue).map(({ name }) => name);
  const types = exported.filter(({ isValue }) => !isValue).map(({ name }) => name);
  const program = [
    `import { ${values.join(", ")} } from "@animal-store/client";`,
    `import type { ${types.join(", ")} } from "@animal-store/client";`,
    "declare const client: Client;",
    ...functions,
  ];
  writeFileSync(join(folder, "examples.mts"), program.join("\n\n"));
  await compile(folder, ["--noEmit", "--module", "nodenext", "examples.mts"]);
});
