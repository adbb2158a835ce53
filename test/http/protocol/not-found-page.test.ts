// Unknown addresses outside /v1: a page for browsers, an Error body for everybody else.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Answer } from "../../harness/clients/call.ts";
import { startApp } from "../../harness/servers/app.ts";

const BROWSER =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";
const VARY = "Origin, Accept, Accept-Language";
const PHOTO = `/photos/${"0".repeat(64)}-320.webp`;

const TITLES: Record<string, string> = { en: "Page not found", de: "Seite nicht gefunden" };

async function startScene(t: TestContext) {
  const app = await startApp(t, { environment: { PUBLIC_URL: "https://host.example/a&b" } });
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    app.outside(method, path, { headers });
  const isPage = ({ status, headers }: Answer) =>
    status === 404 && headers["content-type"] === "text/html; charset=utf-8";
  return { ...app, ask, isPage };
}

test("Unknown addresses outside /v1 are a page for browsers", async (t) => {
  const { ask, isPage } = await startScene(t);

  await t.test("the page has links and a strict policy", async () => {
    for (const path of ["/nothing", "/deep/er/nothing", "/docs/nothing", "/console/old-AAAAAAAA.js", PHOTO]) {
      const page = await ask(path, { accept: BROWSER });
      assert.ok(isPage(page), path);
      const links = [...page.text.matchAll(/<a href="([^"]*)"/g)].map(([, address]) => address);
      assert.deepEqual(links, ["/a&amp;b/", "/a&amp;b/docs"]);
      assert.match(page.text, /<link rel="stylesheet" href="\/a&amp;b\/console\/[\w-]+-[A-Z0-9]{8}\.css">/);
      assert.doesNotMatch(page.text, /<script|<style|style=|https?:/);
      const { headers } = page;
      assert.match(headers["content-security-policy"] ?? "", /^default-src 'none'; style-src 'self'; /);
      assert.deepEqual([headers.vary, headers["cache-control"]], [VARY, "private, no-cache"]);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["referrer-policy"], "no-referrer");
      assert.equal(headers["cross-origin-opener-policy"], "same-origin");
      assert.ok(headers["x-request-id"]);
    }
  });

  await t.test("the page shows nothing of the request", async () => {
    const plain = await ask("/nothing", { accept: BROWSER });
    for (const path of ["/%3Cscript%3Ealert(1)%3C/script%3E?<b>", "/{base}{head}$&"])
      assert.equal((await ask(path, { accept: BROWSER })).text, plain.text);
  });

  await t.test("Accept-Language decides between English and German", async () => {
    const cases: Array<[acceptLanguage: string, language: string]> = [
      ["en-GB,en;q=0.9,de;q=0.8", "en"],
      ["de-AT,de;q=0.9,en;q=0.8", "de"],
      ["fr,de;q=0.2", "de"],
      ["DE;q=0.5, en;q=0.4", "de"],
      ["de;q=0", "en"],
      ["deutsch, *", "en"],
      ["", "en"],
    ];
    for (const [acceptLanguage, language] of cases) {
      const page = await ask("/nothing", { accept: BROWSER, "accept-language": acceptLanguage });
      assert.equal(page.headers["content-language"], language, acceptLanguage);
      assert.match(page.text, new RegExp(`<html lang="${language}">`));
      assert.ok(page.text.includes(`<h1>${TITLES[language]}</h1>`), acceptLanguage);
    }
  });

  await t.test("HEAD has the headers of the page", async () => {
    const head = await ask("/nothing", { accept: BROWSER }, "HEAD");
    assert.ok(isPage(head));
    assert.equal(head.bytes.length, 0);
    assert.equal(
      head.headers["content-length"],
      (await ask("/nothing", { accept: BROWSER })).headers["content-length"],
    );
  });
});

test("Accept decides between the page and an Error body", async (t) => {
  const { ask, isPage, call, outside } = await startScene(t);

  await t.test("without a preference for HTML it is an Error body", async () => {
    const cases: Array<[accept: string | undefined, isHtml: boolean]> = [
      [undefined, false],
      ["*/*", false],
      ["application/json", false],
      ["application/json, text/html", false],
      ["application/json, text/plain, */*", false],
      ["image/avif,image/webp,image/*,*/*;q=0.8", false],
      ["text/html;q=0", false],
      ["text/html;q=0.4, application/json;q=0.5", false],
      ["text/html", true],
      ["TEXT/HTML;level=1", true],
      ["text/*, application/json;q=0.9", true],
      ["application/json;q=0.1, */*;q=0.2", true],
    ];
    const error = await ask("/nothing");
    for (const [accept, isHtml] of cases) {
      const answer = await ask("/nothing", accept === undefined ? {} : { accept });
      assert.equal(answer.status, 404);
      assert.equal(isPage(answer), isHtml, String(accept));
      if (isHtml) continue;
      assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
      assert.equal(answer.text, error.text);
      assert.equal(answer.headers.vary, VARY);
    }
    const message = "No operation has this path. /docs lists all operations.";
    assert.deepEqual(error.json, { status: 404, code: "route_not_found", message });
  });

  await t.test("under /v1, and for other errors, Accept is ignored", async () => {
    const headers = { accept: BROWSER };
    for (const [path, code] of Object.entries({
      "/nothing": "route_not_found",
      "/pets/1": "pet_not_found",
    })) {
      const answer = await call("GET", path, { headers });
      assert.deepEqual([answer.json.code, answer.headers.vary], [code, "Origin"]);
    }
    assert.equal((await ask("/v1/nothing", headers)).json.code, "missing_api_key");
    assert.equal((await outside("POST", "/healthz", { headers })).json.code, "method_not_allowed");
    assert.equal((await ask("/metrics", headers)).json.code, "missing_api_key");
  });
});

test("While the public pages are open, their own page answers everywhere but below /docs", async (t) => {
  const { ask, call, clock, isPage } = await startScene(t);
  await call("PATCH", "/site", { body: { isPublic: true, language: "de", title: "Tiere am Fluss" } });
  clock.advance(1_000);
  const page = await ask("/nothing", { accept: BROWSER });
  assert.ok(isPage(page));
  assert.match(page.text, /<html lang="de">[\s\S]*<title>Seite nicht gefunden – Tiere am Fluss<\/title>/);
  assert.equal(page.headers.vary, VARY);
  assert.match((await ask("/docs/nothing", { accept: BROWSER })).text, /Read the API reference/);
  assert.equal((await ask("/nothing")).json.code, "route_not_found");
});
