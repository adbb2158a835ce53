// A sample request in Python, with the standard library only.

import { type LiteralStyle, writeLiteral } from "./literal.ts";
import { AUTHORIZATION, type SampleRequest, targetOf } from "./request.ts";

const STYLE: LiteralStyle = {
  name: (text) => JSON.stringify(text),
  word: (value) => (value === null ? "None" : value ? "True" : "False"),
  indent: "    ",
  padding: "",
};

export function writePython(request: SampleRequest, base: string): string {
  const url = JSON.stringify(base + targetOf(request));
  const program = request.result.kind === "pages" ? writeLoop(request, url) : writeRequest(request, url);
  const modules = ["json", "pathlib", "re", "urllib.error", "urllib.request"];
  const imports = modules.filter((name) => program.includes(`${name}.`)).map((name) => `import ${name}\n`);
  return `${imports.join("")}\n${program}`;
}

function writeLoop({ result }: SampleRequest, url: string): string {
  const item = result.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return `url = ${url}
while url:
    request = urllib.request.Request(url, headers={"Authorization": "${AUTHORIZATION}"})
    try:
        with urllib.request.urlopen(request) as response:
            for ${item} in json.load(response):
                print(${item})
            next_link = re.search('<([^>]+)>; rel="next"', response.headers.get("Link", ""))
    except urllib.error.HTTPError as error:
        raise SystemExit(error.read().decode())
    url = next_link and next_link[1]`;
}

function writeRequest({ method, headers, body, file, result }: SampleRequest, url: string): string {
  const args = [
    url,
    ...(method === "GET" ? [] : [`method="${method}"`]),
    `headers=${writeLiteral(headers, STYLE, "    ")}`,
    ...(body === undefined ? [] : [`data=json.dumps(${writeLiteral(body, STYLE, "    ")}).encode()`]),
    ...(file === undefined ? [] : [`data=pathlib.Path("${file.name}").read_bytes()`]),
  ];
  return `request = urllib.request.Request(
${args.map((argument) => `    ${argument},\n`).join("")})
try:
    with urllib.request.urlopen(request) as response:
${PRINTS[result.kind]}
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())`;
}

const PRINTS: Record<SampleRequest["result"]["kind"], string> = {
  pages: "",
  value: "        print(json.load(response))",
  file: "        print(response.read().decode())",
  nothing: "        print(response.status)",
  stream: "        for line in response:\n            print(line.decode().rstrip())",
};
