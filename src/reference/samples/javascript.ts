// A sample request in JavaScript, with the typed client.

import { type LiteralStyle, writeLiteral } from "./literal.ts";
import { KEY_PLACEHOLDER, type SampleRequest } from "./request.ts";

const STYLE: LiteralStyle = {
  name: (text) => (/^[a-z]+$/i.test(text) ? text : JSON.stringify(text)),
  word: String,
  indent: "  ",
  padding: " ",
};

export function writeJavaScript(request: SampleRequest, base: string): string {
  const { file } = request;
  return [
    `// Once: npm install ${base.replace(/\/v1$/, "")}/client.tgz`,
    "// Save as sample.mjs, and run: node sample.mjs",
    ...(file === undefined ? [] : [importLine("readFile", "node:fs/promises")]),
    importLine("createClient", "@animal-store/client"),
    "",
    `const client = createClient({ baseUrl: "${base}", apiKey: "${KEY_PLACEHOLDER}" });`,
    writeCall(request),
  ].join("\n");
}

function importLine(name: string, module: string): string {
  return `import { ${name} } from ${JSON.stringify(module)};`;
}

function writeCall(request: SampleRequest): string {
  const { operationId, ids, file, query, body, result } = request;
  const args = [
    ...ids.map((id) => writeLiteral(id, STYLE)),
    ...(file === undefined ? [] : [`await readFile("${file.name}")`]),
    ...(Object.keys(query).length === 0 ? [] : [writeLiteral(query, STYLE)]),
    ...(body === undefined ? [] : [writeLiteral(body, STYLE)]),
  ];
  const call = `client.${result.kind === "stream" ? "events" : operationId}(${args.join(", ")})`;
  switch (result.kind) {
    case "stream":
    case "pages":
      return `for await (const ${result.name} of ${call}) {\n  console.log(${result.name});\n}`;
    case "value":
    case "file":
      return `const ${result.name} = await ${call};\nconsole.log(${result.name});`;
    case "nothing":
      return `await ${call};`;
  }
}
