// README: its order, its screenshot, its requests, which are sent to a real service, and numbers that the docs quote.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SETTINGS } from "../../../src/config/settings.ts";
import { GET_PET_SUNSET_DAY } from "../../../src/domain/basics/deprecation.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from "../../../src/domain/basics/request-limits.ts";
import { PET_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { IDEMPOTENCY_KEPT_MS } from "../../../src/domain/idempotency.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";

const ROOT = join(import.meta.dirname, "../../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const SCREENSHOT_BYTES_MAX = 200_000;
/** Widths in which a drawing of 1,280 pixels is offered. */
const PHOTO_SIZES = ["320", "640", "1280"];

test("README has its sections in the usual order", () => {
  const headings = [...README.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings, ["Features", "Run", "First requests", "In production", "Development"]);
});

test("README shows a PNG of at most 200 kB with alternative text before the first section", () => {
  const [, alt = "", file = ""] = /!\[([^\]]*)\]\(([^)]+\.png)\)/.exec(README.split("\n## ")[0] ?? "") ?? [];
  assert.ok(alt.length > 20, "the alternative text describes the picture");
  assert.ok(statSync(join(ROOT, file)).size <= SCREENSHOT_BYTES_MAX);
  assert.equal(readFileSync(join(ROOT, file)).toString("latin1", 1, 4), "PNG");
});

test("the backup examples of the docs write to backups/, which git and npm ignore", () => {
  const operating = readFileSync(join(ROOT, "docs/operating.md"), "utf8");
  const written = [
    ...`${README}${operating}`.matchAll(/^(?:npm run -s )?animal-store (?:-- )?backup (\S+)/gm),
  ];
  assert.ok(written.length > 1);
  for (const [, target = ""] of written) assert.match(target, /^backups\//);
  // Without .npmignore and "files", npm uses .gitignore.
  assert.ok(readFileSync(join(ROOT, ".gitignore"), "utf8").split("\n").includes("/backups/"));
  assert.equal(existsSync(join(ROOT, ".npmignore")), false);
});

test("the requests of README work in their order and give the responses that it shows", async (t) => {
  const { call } = await startApp(t);
  const examples = readExamples();
  assert.deepEqual(
    examples.map(({ method, path }) => `${method} ${path}`),
    [
      "POST /pets",
      "GET /pets?status=available&limit=10",
      "PATCH /pets/1/profile",
      "POST /pets/1/photos",
      "GET /listings?q=beagle&status=available",
      "POST /store/orders",
      "PATCH /store/orders/1",
    ],
  );
  for (const { method, path, headers, body, shown } of examples) {
    const { status, json } = await call(method, path, { headers, body });
    assert.equal(status, method === "POST" ? 201 : 200, `${method} ${path}`);
    if (shown !== undefined) assert.deepEqual(json, shown);
    if (path.startsWith("/listings")) assert.deepEqual(Object.keys(json[0].photos[0].urls), PHOTO_SIZES);
  }
  assert.equal(examples.filter(({ shown }) => shown !== undefined).length, 2);
});

test("numbers quoted in README and docs/interface.md equal those of the code and the benchmarks", () => {
  const documents = {
    readme: README,
    interface: readFileSync(join(ROOT, "docs/interface.md"), "utf8"),
  };
  const show = (count: number) => count.toLocaleString("en-GB");
  const { enterprise: _, ...plans } = PLANS;
  assert.equal(HEADER_BYTES_MAX, BODY_BYTES_MAX, "docs/interface.md gives one size for both");
  const quoted: Array<[keyof typeof documents, string]> = [
    ["readme", `reserves the animal for ${SETTINGS.orderHoldMs.default} hours`],
    ["readme", `reaches ${readHotListPercent()} % of the throughput`],
    ["interface", `\`limit\`: 1 to ${PAGE_LIMIT_MAX}, default ${PAGE_LIMIT_DEFAULT}.`],
    ["interface", `\`name\` has 1 to ${PET_NAME_MAX} code points`],
    ["interface", `is removed on ${GET_PET_SUNSET_DAY}:`],
    ["interface", `A request body is at most ${BODY_BYTES_MAX / 1024} KiB, and so is a header block.`],
    ["interface", `with the same key within ${IDEMPOTENCY_KEPT_MS / 3_600_000} hours`],
    ...Object.entries(plans).map(([name, { perMinute, perDay }]): ["interface", string] => [
      "interface",
      `| ${name[0]?.toUpperCase()}${name.slice(1)} | ${show(perMinute)} | ${show(perDay)} |`,
    ]),
  ];
  const wrong = quoted.filter(
    ([document, text]) => !documents[document].replaceAll(/\s+/g, " ").includes(text),
  );
  assert.deepEqual(wrong, []);
});

/** The share of the service in the first row of the table of docs/benchmarks.md. */
function readHotListPercent(): number {
  const [, share] =
    /^\| hot list +\| (\d\.\d\d) /m.exec(readFileSync(join(ROOT, "docs/benchmarks.md"), "utf8")) ?? [];
  return Math.round(Number(share) * 100);
}

interface Example {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  /** The response that README shows below the request. */
  shown: unknown;
}

/** The curl commands of README, each with the JSON block that follows it. */
function readExamples(): Example[] {
  const blocks = [...README.matchAll(/```(sh|json)\n([\s\S]*?)```/g)].map(([, language, text = ""]) => ({
    language,
    text,
  }));
  return blocks.flatMap(({ text }, index) => {
    if (!text.startsWith("curl ")) return [];
    const next = blocks[index + 1];
    const data = / -d '([^']+)'/.exec(text)?.[1];
    const file = / --data-binary @(\S+)/.exec(text)?.[1];
    const body = data === undefined ? file && readFileSync(join(ROOT, file)) : JSON.parse(data);
    const headers = [...text.matchAll(/ -H "([^:]+): ([^"]+)"/g)].map(([, name = "", value = ""]) => [
      name.toLowerCase(),
      value.replace("$KEY", ADMIN_KEY),
    ]);
    return {
      method: / -X (\w+)/.exec(text)?.[1] ?? (body === undefined ? "GET" : "POST"),
      path: /http:\/\/127\.0\.0\.1:8080\/v1(\/[^\s"]+)/.exec(text)?.[1] ?? "",
      headers: Object.fromEntries(headers),
      body,
      shown: next?.language === "json" ? JSON.parse(next.text) : undefined,
    };
  });
}
