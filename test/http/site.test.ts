// The public site: getSite, updateSite, and the pages, feeds and files that people see without a key.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { HtmlValidate } from "html-validate";
import { type Answer, countStatuses, repeat } from "../harness/clients/call.ts";
import { drawImage } from "../harness/clients/images.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

const PUBLIC_URL = "https://animals.example.org/shelter";
const DAY_MS = 86_400_000;
const STATE_MS = 250;
/** Whatever staff write may be an attack. */
const HOSTILE = `</title><script>alert(1)</script>"' onload=x &amp; \u202eevil`;

const checker = new HtmlValidate({
  extends: ["html-validate:recommended", "html-validate:document"],
  rules: {
    "doctype-style": "off",
    "form-dup-name": ["error", { shared: ["checkbox"] }],
    "long-title": "off",
    "no-trailing-whitespace": "off",
    "require-sri": "off",
    "tel-non-breaking": "off",
    "void-style": "off",
  },
});

async function assertValidHtml(text: string): Promise<void> {
  const { results } = await checker.validateString(text);
  const messages = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => ({ ruleId, message, line })),
  );
  assert.deepEqual(messages, []);
}

async function startScene(t: TestContext, site: object = { isPublic: true }) {
  const app = await startApp(t, { environment: { PUBLIC_URL, TRUST_PROXY: "127.0.0.1" } });
  const { call, clock, outside } = app;
  let addresses = 0;
  /** From another client address each time, unless `headers` have one. */
  const get = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> => {
    addresses += 1;
    const client = { "x-forwarded-for": `192.0.2.${addresses % 250}`, accept: "text/html" };
    return outside(method, path, { headers: { ...client, ...headers } });
  };
  /** Nodes read the state of the site again after this. */
  const change = async (changes: object) => {
    const answer = await call("PATCH", "/site", { body: changes });
    assert.equal(answer.status, 200, answer.text);
    clock.advance(STATE_MS);
    return answer;
  };
  const describe = async (id: number, profile: object) => {
    const answer = await call("PATCH", `/pets/${id}/profile`, { body: profile });
    assert.equal(answer.status, 200, answer.text);
    clock.advance(STATE_MS);
  };
  const add = async (name: string, profile: object = {}, status = "available"): Promise<number> => {
    const { id } = await app.addPet({ name, status });
    if (Object.keys(profile).length > 0) await describe(id, profile);
    clock.advance(STATE_MS);
    return id;
  };
  if (Object.keys(site).length > 0) await change(site);
  return { ...app, get, change, describe, add };
}

/** Unescaped: enough for texts of tests. */
function linksOf({ text }: Answer): string[] {
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
}

const SHELTER = {
  name: "Riverside",
  email: "hello@riverside.example",
  phone: "+49 (30) 123-456",
  website: "https://riverside.example/",
  adoptUrl: "https://riverside.example/adopt?from=site",
  address: { street: "Uferweg 12", postalCode: "10115", city: "Berlin", country: "DE" },
  location: { latitude: 52.5, longitude: 13.4 },
  openingHours: "Mo 10–12\nTu closed",
};

test("GET and PATCH /site", async (t) => {
  const { call, createKey } = await startScene(t, {});

  await t.test("the site is closed until an admin opens it", async () => {
    const { key } = await createKey({ access: "browse" });
    const { json, headers } = await call("GET", "/site", { key });
    assert.deepEqual(json, { isPublic: false, language: "en" });
    assert.match(headers.etag ?? "", /^"/);
    const { key: manage } = await createKey({ access: "manage" });
    assertError(
      await call("PATCH", "/site", { body: { isPublic: true }, key: manage }),
      "insufficient_access",
    );
  });

  await t.test("merges changes, removes members with null, and records them", async () => {
    const body = {
      isPublic: true,
      title: " Our animals ",
      introduction: "a\nb",
      language: "de",
      accent: "#ffee00",
    };
    const site = {
      isPublic: true,
      title: "Our animals",
      introduction: "a\nb",
      language: "de",
      accent: "#ffee00",
    };
    assert.deepEqual((await call("PATCH", "/site", { body })).json, site);
    const { json } = await call("PATCH", "/site", {
      body: { title: null, introduction: null, accent: null },
    });
    assert.deepEqual(json, { isPublic: true, language: "de" });
    assert.deepEqual((await call("GET", "/site")).json, json);
    const [record] = (await call("GET", "/audit")).json;
    assert.deepEqual([record.action, record.target, record.to.title], ["site.updated", undefined, null]);
    assert.deepEqual(record.from, { title: "Our animals", introduction: "a\nb", accent: "#ffee00" });
  });

  for (const body of [
    {},
    { isPublic: null },
    { isPublic: "yes" },
    { language: "fr" },
    { language: null },
    { title: "" },
    { title: "x".repeat(101) },
    { introduction: "x".repeat(1_001) },
    { accent: "red" },
    { accent: "#FFEE00" },
    { accent: "#ffee001" },
  ])
    await t.test(`rejects ${JSON.stringify(body).slice(0, 60)} with 400`, async () =>
      assertError(await call("PATCH", "/site", { body }), "invalid_body"),
    );
});

test("A closed site", async (t) => {
  const { get, change, add } = await startScene(t, {});
  const id = await add("Rex");
  const paths = [
    "/animals",
    `/animals/${id}`,
    "/shelters/1",
    "/animals.atom",
    "/animals.json",
    "/sitemap.xml",
  ];
  const ordinary = await get("/nothing");

  await t.test("answers like an unknown path, whatever the parameters", async () => {
    for (const path of [...paths, "/animals?sex=wrong"]) {
      const { status, text } = await get(path);
      assert.deepEqual([status, text], [404, ordinary.text], path);
      assert.equal((await get(path, { accept: "*/*" })).json.code, "route_not_found");
    }
  });

  await t.test("robots.txt forbids everything", async () => {
    const { status, text, headers } = await get("/robots.txt");
    assert.deepEqual([status, text], [200, "User-agent: *\nDisallow: /shelter/\n"]);
    assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  });

  await t.test("opens and closes with a change of the site", async () => {
    await change({ isPublic: true });
    for (const path of paths) assert.equal((await get(path)).status, 200, path);
    assert.match(
      (await get("/robots.txt")).text,
      /^User-agent: \*\nAllow: \/shelter\/animals\n(?:Allow: .*\n)+Disallow: \/shelter\/\n\nSitemap: https:\/\/animals\.example\.org\/shelter\/sitemap\.xml\n$/,
    );
    await change({ isPublic: false });
    for (const path of paths) assert.equal((await get(path)).status, 404, path);
  });
});

test("Public pages", async (t) => {
  const scene = await startScene(t, { isPublic: true, title: "Our animals", introduction: "Hello\nthere" });
  const { get, add, call, change, describe, clock, addPet } = scene;
  await call("PATCH", "/shelters/1", { body: SHELTER });
  const profile = {
    species: "dog",
    breeds: ["Beagle"],
    mixed: true,
    sex: "female",
    bornOn: "2024-06-01",
    bornIsEstimated: true,
    size: "medium",
    goodWith: { children: "yes", cats: "no" },
    vaccinated: "yes",
    description: "Likes walks.\n\nAnd food.",
    fee: { amount: 25_000, currency: "EUR" },
    externalId: "SECRET-1",
    custom: { chip: "SECRET-2" },
    videoUrl: "https://video.example/luna",
  };
  const luna = await add("Luna", profile);
  const reserved = await add("Max", { species: "cat" }, "pending");
  const sold = await add("Sold one", {}, "sold");
  const image = await drawImage("red", { width: 1500, height: 1000 });
  const alt = `?alt=${encodeURIComponent("Luna in the park")}`;
  await call("POST", `/pets/${luna}/photos${alt}`, { body: image, headers: { "content-type": "image/png" } });
  await call("POST", `/pets/${luna}/photos`, {
    body: await drawImage("green", { width: 200, height: 100 }),
    headers: { "content-type": "image/png" },
  });
  clock.advance(STATE_MS);

  await t.test("have the headers of a page that caches may keep", async () => {
    const page = await get("/animals");
    assert.equal(page.status, 200);
    const { headers } = page;
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "public, max-age=60, stale-while-revalidate=60");
    assert.equal(headers["referrer-policy"], "same-origin");
    assert.match(headers.vary ?? "", /Accept-Encoding/);
    assert.equal(headers["set-cookie"], undefined);
    const policy = headers["content-security-policy"] ?? "";
    assert.match(policy, /default-src 'none'; .*form-action 'self'/);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
    for (const [coding, decode] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
      const coded = await get("/animals", { "accept-encoding": coding });
      assert.equal(coded.headers["content-encoding"], coding);
      assert.equal(decode(coded.bytes).toString(), page.text);
      const known = await get("/animals", {
        "accept-encoding": coding,
        "if-none-match": coded.headers.etag ?? "",
      });
      assert.deepEqual([known.status, known.text], [304, ""]);
      assert.equal(known.headers["cache-control"], headers["cache-control"]);
    }
    const head = await get("/animals", {}, "HEAD");
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, "", headers.etag]);
  });

  await t.test(
    "are the same from the cache as from the framework, also unchanged and for other origins",
    async () => {
      const differing = /^(x-request-id|date|ratelimit|x-ratelimit-)/;
      const shown = ({ status, headers, bytes }: Answer) => ({
        status,
        bytes,
        headers: Object.entries(headers)
          .filter(([name]) => !differing.test(name))
          .sort(),
      });
      const { headers } = await get("/animals", { "accept-encoding": "br" });
      for (const asked of [
        {},
        { "accept-encoding": "br" },
        { "accept-encoding": "gzip", origin: "https://other.example" },
        { "accept-encoding": "br", "if-none-match": `"x", ${headers.etag}` },
      ] as Array<Record<string, string>>) {
        const [cached, framework] = [await get("/animals", asked), await get("/animals?x=1", asked)];
        assert.deepEqual(shown(cached), shown(framework));
        for (const { headers } of [cached, framework])
          assert.deepEqual([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]], ["120", "119"]);
      }
    },
  );

  await t.test("are valid HTML with one h1, a language, a canonical address and Open Graph", async () => {
    for (const path of [
      "/animals",
      `/animals/${luna}`,
      `/animals/${reserved}`,
      "/shelters/1",
      "/animals?q=luna&goodWith=children",
    ]) {
      const { text, status } = await get(path);
      assert.equal(status, 200, path);
      await assertValidHtml(text);
      assert.equal(text.match(/<h1>/g)?.length, 1);
      assert.match(text, /<html lang="en">/);
      const canonical = `${PUBLIC_URL}${path}`.replaceAll("&", "&amp;");
      assert.ok(text.includes(`<link rel="canonical" href="${canonical}"`), text);
      assert.ok(text.includes(`<meta property="og:url" content="${canonical}">`));
      assert.match(text, /<meta name="description" content="[^"]+">/);
      assert.equal(text.includes('content="noindex, follow"'), path.includes("?"), path);
      assert.doesNotMatch(text, /SECRET|<script(?! type="application\/ld\+json")| style="| on\w+="/);
    }
  });

  await t.test(
    "the list shows available and reserved animals, newest first, with photos in their widths",
    async () => {
      const { text } = await get("/animals");
      assert.match(text, /<h1><bdi>Our animals<\/bdi><\/h1>\n<p class="text" dir="auto">Hello\nthere<\/p>/);
      assert.match(text, /<bdi>Max<[\s\S]*<bdi>Luna</);
      assert.doesNotMatch(text, /Sold one/);
      assert.match(text, /Reserved/);
      assert.match(text, /<p><bdi>Beagle<\/bdi> mix · female · about 2 years · medium<\/p>/);
      const [, hash] = /src="\/shelter\/photos\/([0-9a-f]{64})-640\.webp"/.exec(text) ?? assert.fail(text);
      const files = [320, 640, 1280]
        .map((width) => `/shelter/photos/${hash}-${width}.webp ${width}w`)
        .join(", ");
      assert.ok(text.includes(`srcset="${files}"`), text);
      assert.match(text, /width="640" height="427" alt="Luna in the park"/);
      assert.match(text, /<svg class="silhouette"/);
      assert.match(text, /<p class="quiet"><bdi>Riverside<\/bdi>, <bdi>Berlin<\/bdi><\/p>/);
    },
  );

  await t.test(
    "an animal has its facts, story, video and the shelter with all ways to reach it",
    async () => {
      const { text } = await get(`/animals/${luna}`);
      for (const [label, fact] of Object.entries({
        Age: "about 2 years",
        "Good with children": "yes",
        "Good with cats": "no",
        Vaccinated: "yes",
        "Adoption fee": "€250.00",
        Number: String(luna),
      }))
        assert.ok(text.includes(`<dt>${label}</dt><dd>${fact}</dd>`), label);
      assert.match(text, /<p class="text" dir="auto">Likes walks\.\n\nAnd food\.<\/p>/);
      assert.match(
        text,
        /og:image" content="https:\/\/animals.example.org\/shelter\/photos\/[0-9a-f]{64}-1280.webp"/,
      );
      assert.match(text, /-200\.webp 200w"/);
      assert.match(text, /Mo 10–12\nTu closed/);
      assert.match(text, /10115 Berlin/);
      const links = linksOf({ text } as Answer);
      for (const link of [
        "https://video.example/luna",
        "mailto:hello@riverside.example",
        "tel:+4930123456",
        "https://riverside.example/",
        "/shelter/shelters/1",
      ])
        assert.ok(links.includes(link), link);
    },
  );

  await t.test("an animal has one button: apply, else write, else call, else visit", async () => {
    const buttonOf = async () => {
      clock.advance(STATE_MS);
      const { text } = await get(`/animals/${luna}`);
      const found = [...text.matchAll(/<a class="button next" href="([^"]+)"><bdi>([^<]+)/g)];
      assert.ok(found.length <= 1);
      return found[0]?.slice(1);
    };
    assert.deepEqual(await buttonOf(), [SHELTER.adoptUrl, "Adopt Luna"]);
    await call("PATCH", "/shelters/1", { body: { adoptUrl: null } });
    const [letter = "", text] = (await buttonOf()) ?? [];
    assert.equal(text, "Write about Luna");
    const body = encodeURIComponent(`${PUBLIC_URL}/animals/${luna}`);
    assert.equal(letter, `mailto:hello@riverside.example?subject=Luna%20(no.%20${luna})&amp;body=${body}`);
    await call("PATCH", "/shelters/1", { body: { email: null } });
    assert.deepEqual(await buttonOf(), ["tel:+4930123456", "Call about Luna"]);
    await call("PATCH", "/shelters/1", { body: { phone: "0800-ADOPT" } });
    assert.deepEqual(await buttonOf(), [SHELTER.website, "Visit the website"]);
    assert.match((await get(`/animals/${luna}`)).text, /<dt>Phone<\/dt><dd><bdi>0800-ADOPT<\/bdi><\/dd>/);
    await call("PATCH", "/shelters/1", { body: { website: null, phone: null } });
    assert.equal(await buttonOf(), undefined);
    await call("PATCH", "/shelters/1", { body: SHELTER });
    clock.advance(STATE_MS);
  });

  await t.test("a shelter is described in JSON-LD, with its animals and the way to all of them", async () => {
    const page = await get("/shelters/1");
    const [, json = ""] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(page.text) ?? [];
    const { "@context": context, "@type": type, name, address, geo, telephone } = JSON.parse(json);
    assert.deepEqual([context, type, name], ["https://schema.org", "AnimalShelter", "Riverside"]);
    assert.deepEqual(address, {
      "@type": "PostalAddress",
      streetAddress: "Uferweg 12",
      postalCode: "10115",
      addressLocality: "Berlin",
      addressCountry: "DE",
    });
    assert.deepEqual([geo.latitude, telephone], [52.5, SHELTER.phone]);
    assert.ok(linksOf(page).includes(`/shelter/animals/${luna}`));
    assert.ok(linksOf(page).includes("/shelter/animals?shelterId=1"));
  });

  await t.test(
    "an adopted animal is 410 for 90 days, then 404; unknown ones are 404; none is cached",
    async () => {
      const gone = await get(`/animals/${sold}`);
      assert.equal(gone.status, 410);
      assert.match(gone.text, /<h1><bdi>Sold one has found a home<\/bdi><\/h1>/);
      assert.ok(linksOf(gone).includes("/shelter/animals"));
      await assertValidHtml(gone.text);
      const start = clock.nowMs();
      clock.advance(91 * DAY_MS);
      const missing = await get(`/animals/${sold}`);
      assert.equal(missing.status, 404);
      assert.doesNotMatch(missing.text, /Sold one/);
      for (const path of [
        "/animals/999",
        "/animals/x",
        "/animals/9223372036854775808",
        "/shelters/999",
        "/shelters/%3Cb%3E",
      ])
        assert.equal((await get(path)).status, 404, path);
      for (const { headers } of [gone, missing]) assert.equal(headers["cache-control"], "no-store");
      assert.match(missing.text, /noindex, follow/);
      await assertValidHtml(missing.text);
      clock.set(start);
    },
  );

  await t.test(
    "filter by a plain form; empty and unknown parameters are ignored, the last one counts",
    async () => {
      const names = async (query: string) =>
        [...(await get(`/animals?${query}`)).text.matchAll(/animals\/\d+"><bdi>([^<]+)/g)].map(
          ([, name]) => name,
        );
      assert.deepEqual(await names("species=dog"), ["Luna"]);
      assert.deepEqual(await names("species=&sex=&q=+&size=&goodWith=&shelterId=&cursor=&x=1"), [
        "Max",
        "Luna",
      ]);
      assert.deepEqual(await names("species=dog&species=cat"), ["Max"]);
      assert.deepEqual(await names("goodWith=children"), ["Luna"]);
      assert.deepEqual(await names("goodWith=children&goodWith=cats"), []);
      assert.deepEqual(await names("q=beagle"), ["Luna"]);
      assert.deepEqual(await names("shelterId=1&ageGroup=adult&size=medium&sex=female"), ["Luna"]);
      assert.deepEqual(await names("shelterId=77"), []);
      const { text } = await get("/animals?species=dog&goodWith=children&q=%22luna%22");
      assert.match(text, /<option value="dog" selected>/);
      assert.match(text, /value="children" checked>/);
      assert.match(text, /name="q" value="&quot;luna&quot;"/);
      assert.match(text, /No animal matches this search\./);
    },
  );

  await t.test("answer a bad parameter with the form and a sentence, also for feeds", async () => {
    for (const query of [
      "species=unicorn",
      "sex=Male",
      "goodWith=children&goodWith=bears",
      "shelterId=x",
      `shelterId=${Array.from({ length: 21 }, (_, index) => index).join()}`,
      "q=a+b+c+d+e+f",
      `q=${"x".repeat(201)}`,
      "cursor=abc",
    ])
      for (const path of query.startsWith("cursor")
        ? ["/animals"]
        : ["/animals", "/animals.atom", "/animals.json"]) {
        const { status, text, headers } = await get(`${path}?${query}`);
        assert.equal(status, 400, `${path}?${query}`);
        assert.match(text, /<p class="problem" role="alert">.*Please (choose|start|shorten)/);
        assert.match(text, /<form class="search"/);
        assert.match(text, /<a class="button" href="\/shelter\/animals">Show all animals</);
        assert.doesNotMatch(text, /rel="canonical"|animals\.atom\?|name="shelterId" value="(x|0,)/);
        assert.equal(headers["cache-control"], "no-store");
        assert.equal(headers["content-type"], "text/html; charset=utf-8");
        await assertValidHtml(text);
      }
  });

  await t.test("keep what was typed beside a bad parameter, and say what is wrong with it", async () => {
    const typed = await get("/animals?q=a+b+c+d+e+%22f%22&species=dog&sex=x&goodWith=cats");
    assert.match(typed.text, /under “Sex”/);
    assert.match(typed.text, /name="q" value="a b c d e &quot;f&quot;"/);
    assert.match(typed.text, /<details open>/);
    assert.match(typed.text, /<option value="dog" selected>/);
    assert.match(typed.text, /value="cats" checked>/);
    const long = await get("/animals?q=a+b+c+d+e+f");
    assert.match(long.text, /A search has at most 5 words and 200 characters\./);
    assert.doesNotMatch(long.text, /No animal matches/);
  });

  await t.test("the filters end with a button of their own, and can be cleared", async () => {
    const buttons = ({ text }: Answer) => text.match(/<button class="button" type="submit">Search</g)?.length;
    const plain = await get("/animals?q=luna");
    assert.equal(buttons(plain), 2);
    assert.doesNotMatch(plain.text, /Clear filters/);
    assert.match(plain.text, /<\/fieldset>\n<p class="actions"><button /);
    const filtered = await get("/animals?q=luna&sex=female");
    assert.match(filtered.text, /<a href="\/shelter\/animals\?q=luna">Clear filters<\/a>/);
    assert.match((await get("/animals?sex=female")).text, /<a href="\/shelter\/animals">Clear filters<\/a>/);
  });

  await t.test("/animals/ is the list", async () => {
    const [list, slash] = [await get("/animals"), await get("/animals/")];
    assert.deepEqual([slash.status, slash.text], [200, list.text]);
    assert.equal((await get("/animals/?sex=x")).status, 400);
    assert.equal((await get("/animals/?species=dog")).text, (await get("/animals?species=dog")).text);
  });

  await t.test("a shelter that cannot be reached has no panel of contacts", async () => {
    const id = (await call("POST", "/shelters", { body: { name: "Silent" } })).json.id;
    const quiet = await add("Quiet one", { shelterId: id });
    const { text } = await get(`/animals/${quiet}`);
    assert.match(text, /<h2>Shelter<\/h2>\n<p><a href="\/shelter\/shelters\/\d+"><bdi>Silent</);
    for (const page of [text, (await get(`/shelters/${id}`)).text]) {
      assert.doesNotMatch(page, /<h2>Contact</);
      await assertValidHtml(page);
    }
    await call("DELETE", `/pets/${quiet}`);
    await call("DELETE", `/shelters/${id}`);
    clock.advance(STATE_MS);
  });

  await t.test("speak German", async () => {
    await change({ language: "de" });
    const { text } = await get(`/animals/${luna}`);
    assert.match(text, /<html lang="de">/);
    assert.match(text, / · etwa 2 Jahre · /);
    assert.match(text, /250,00\s€/);
    assert.match((await get("/animals?sex=x")).text, /Diese Suche geht nicht\..* unter „Geschlecht“/);
    assert.match((await get("/animals?q=a+b+c+d+e+f")).text, /höchstens 5 Wörter und 200 Zeichen/);
    assert.match((await get("/animals?sex=male")).text, />Filter löschen</);
    await change({ language: "en" });
  });

  await t.test("no text of staff becomes markup, an attribute, a header or a script", async () => {
    await change({ title: HOSTILE, introduction: HOSTILE });
    const name = HOSTILE;
    const hostile = await add(name, {
      description: `${name}\n${"x".repeat(9_900)}`,
      breeds: [name],
      colors: ["<b>"],
      tags: ["<i>'"],
      videoUrl: "https://video.example/?a=1&b='x'",
    });
    const body = {
      name,
      about: name,
      openingHours: name,
      phone: "<b>1</b>",
      email: `"><b>'@x.example`,
      address: { city: name },
    };
    await call("PATCH", "/shelters/1", { body });
    await call("POST", `/pets/${hostile}/photos?alt=${encodeURIComponent(name)}`, {
      body: await drawImage("blue"),
      headers: { "content-type": "image/png" },
    });
    clock.advance(STATE_MS);
    for (const path of ["/animals", `/animals/${hostile}`, "/shelters/1", "/animals?q=%3Cscript%3E%22"]) {
      const { text, headers } = await get(path);
      await assertValidHtml(text);
      assert.doesNotMatch(text, /<script>|<b>|<i>|alert\(1\)<\/script>| onload="/, path);
      assert.doesNotMatch(JSON.stringify(headers), /alert/);
      const [, title = ""] = /<title>([^<]*)<\/title>/.exec(text) ?? [];
      assert.doesNotMatch(title, /\u202e/);
      // In a body, the override is in an element of its own, or in a paragraph.
      for (const [, before] of text.matchAll(/(.{0,130})\u202e/g))
        assert.match(before ?? "", /<bdi>|dir="auto">|^<\//);
    }
    const [, json = ""] =
      /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec((await get("/shelters/1")).text) ?? [];
    assert.match(JSON.parse(json).name, /<script>/);
    await call("DELETE", `/pets/${hostile}`);
    await change({ title: null, introduction: null });
  });

  await t.test("an animal with an invisible name is called by its number", async () => {
    const id = await add("\u202e\u200b\u2066");
    const page = (await get(`/animals/${id}`)).text;
    assert.ok(page.includes(`<h1><bdi>No. ${id}</bdi></h1>`));
    assert.match(
      page,
      new RegExp(`<a class="button next" [^>]+><bdi>[A-Z]\\w+ (?:about )?No\\. ${id}</bdi>`),
    );
    const link = `href="/shelter/animals/${id}"><bdi>No. ${id}</bdi></a>`;
    assert.ok((await get("/animals")).text.includes(link));
    assert.ok((await get("/animals.atom")).text.includes(`<title>No. ${id}</title>`));
    await call("PATCH", `/pets/${id}`, { body: { status: "sold" } });
    clock.advance(STATE_MS);
    assert.match((await get(`/animals/${id}`)).text, new RegExp(`<h1><bdi>No\\. ${id} has found a home`));
    await call("DELETE", `/pets/${id}`);
    clock.advance(STATE_MS);
  });

  await t.test("an absent title is the name of the first shelter", async () => {
    await call("PATCH", "/shelters/1", { body: SHELTER });
    clock.advance(STATE_MS);
    assert.match((await get("/animals")).text, /<h1><bdi>Riverside<\/bdi>/);
  });

  await t.test("are current within 250 ms of every change, and at midnight", async () => {
    await get(`/animals/${luna}`);
    await describe(luna, { description: "Another story" });
    assert.match((await get(`/animals/${luna}`)).text, /Another story/);
    await describe(luna, { bornOn: "2026-12-19", bornIsEstimated: false });
    assert.match((await get("/animals")).text, /1 week · /);
    clock.advance(DAY_MS);
    assert.match((await get("/animals")).text, /2 weeks · /);
    const { id } = await addPet({ name: "Newcomer" });
    clock.advance(STATE_MS);
    assert.match((await get("/animals")).text, /Newcomer/);
    await call("PATCH", `/pets/${id}`, { body: { status: "sold" } });
    clock.advance(STATE_MS);
    assert.doesNotMatch((await get("/animals")).text, /Newcomer/);
    assert.equal((await get(`/animals/${id}`)).status, 410);
  });
});

test("A crawl from /animals finds every public animal exactly once, and nothing else", async (t) => {
  const { get, add, call, clock } = await startScene(t);
  await call("POST", "/shelters", { body: { name: "Second" } });
  const wanted: number[] = [];
  for (let index = 0; index < 60; index += 1) {
    const status = ["available", "pending", "sold"][index % 3] ?? "sold";
    const id = await add(`Animal ${index}`, index % 7 === 0 ? { shelterId: 2 } : {}, status);
    if (status !== "sold") wanted.push(id);
  }
  clock.advance(STATE_MS);
  const listed: string[] = [];
  const seen = new Set<string>(["/shelter/animals"]);
  for (const path of seen) {
    const page = await get(path.slice("/shelter".length));
    assert.equal(page.status, 200, path);
    if (!page.headers["content-type"]?.startsWith("text/html")) continue;
    const links = linksOf(page).filter((href) => href.startsWith("/") && !href.includes("#"));
    for (const link of links) seen.add(link);
    // Further pages of the plain list.
    if (/^\/shelter\/animals(\?cursor=|$)/.test(path))
      listed.push(...links.filter((href) => /\/animals\/\d+$/.test(href)));
  }
  const expected = wanted.map((id) => `/shelter/animals/${id}`);
  assert.deepEqual(listed, expected.toReversed());
  const found = [...seen].filter((path) => /\/animals\/\d+$/.test(path));
  assert.deepEqual(found.sort(), expected.toSorted());
  const kinds = new Set(
    [...seen].map((path) =>
      path
        .replace(/\d+$/, "N")
        .replace(/\?.*$/, "?")
        .replace(/[0-9a-f]{12}/, "H"),
    ),
  );
  assert.deepEqual([...kinds].sort(), [
    "/shelter/animals",
    "/shelter/animals.atom",
    "/shelter/animals.atom?",
    "/shelter/animals.json",
    "/shelter/animals.json?",
    "/shelter/animals/N",
    "/shelter/animals?",
    "/shelter/shelters/N",
    "/shelter/site/style-H.css",
  ]);

  const { text: sitemap, headers } = await get("/sitemap.xml");
  assert.equal(headers["content-type"], "application/xml; charset=utf-8");
  const locations = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, location]) => location);
  const pages = ["/animals", "/shelters/1", "/shelters/2", ...wanted.map((id) => `/animals/${id}`)];
  assert.deepEqual(
    locations,
    pages.map((path) => PUBLIC_URL + path),
  );
});

test("Feeds", async (t) => {
  const { get, add } = await startScene(t, { isPublic: true, title: "A & B\u202e" });
  for (let index = 0; index < 52; index += 1) await add(`Animal ${index}`);
  const id = await add(
    "<Luna>\ufffe",
    { species: "dog", description: "One\nTwo \uffff<b>", tags: ["calm\u202e"] },
    "pending",
  );

  await t.test("JSON Feed 1.1 has the newest 50", async () => {
    const { headers, json } = await get("/animals.json");
    assert.equal(headers["content-type"], "application/feed+json; charset=utf-8");
    assert.equal(headers["cache-control"], "public, max-age=60, stale-while-revalidate=60");
    const { items, ...feed } = json;
    assert.deepEqual(feed, {
      version: "https://jsonfeed.org/version/1.1",
      title: "A & B",
      home_page_url: `${PUBLIC_URL}/animals`,
      feed_url: `${PUBLIC_URL}/animals.json`,
      language: "en",
    });
    assert.equal(items.length, 50);
    const [{ date_published, date_modified, ...first }] = items;
    assert.deepEqual(first, {
      id: `${PUBLIC_URL}/animals/${id}`,
      url: `${PUBLIC_URL}/animals/${id}`,
      title: "<Luna>\ufffe (Reserved)",
      content_html: "<p>Dog</p><p>One</p><p>Two &lt;b&gt;</p>",
      tags: ["calm"],
    });
    assert.equal(items[1].content_html, "", "nothing is known");
    for (const time of [date_published, date_modified]) assert.ok(Date.parse(time) > 0);
  });

  await t.test("Atom has what RFC 4287 requires, and no character that XML forbids", async () => {
    const { headers, text } = await get("/animals.atom");
    assert.equal(headers["content-type"], "application/atom+xml; charset=utf-8");
    assert.doesNotMatch(text, /[\ufffe\uffff]/);
    const [head = "", ...entries] = text.split("<entry>");
    assert.equal(entries.length, 50);
    assert.match(
      head,
      /^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom" xml:lang="en">/,
    );
    assert.ok(head.includes(`<id>${PUBLIC_URL}/animals.atom</id>`));
    assert.ok(
      head.includes(`<link rel="self" type="application/atom+xml" href="${PUBLIC_URL}/animals.atom"/>`),
    );
    assert.match(
      head,
      /<title>A &amp; B<\/title>\n<updated>2027-[^<]+Z<\/updated>\n<author><name>A &amp; B<\/name><\/author>/,
    );
    const [first = ""] = entries;
    assert.ok(first.includes(`<id>${PUBLIC_URL}/animals/${id}</id>\n<title>&lt;Luna&gt; (Reserved)</title>`));
    assert.ok(
      first.includes(
        '<content type="html">&lt;p&gt;Dog&lt;/p&gt;&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two &amp;lt;b&amp;gt;&lt;/p&gt;</content>',
      ),
    );
    for (const entry of entries)
      assert.match(entry, /<published>[^<]+<\/published>\n<updated>[^<]+<\/updated>/);
    assert.equal(new Set(text.match(/<id>[^<]+/g)).size, 51);
  });

  await t.test("follow the filters of the list", async () => {
    const query = "?species=dog&q=luna";
    const { json } = await get(`/animals.json${query}`);
    assert.equal(json.items.length, 1);
    const canonical = `${PUBLIC_URL}/animals.json?q=luna&species=dog`;
    assert.equal(json.feed_url, canonical);
    const atom = await get(`/animals.atom${query}`);
    assert.ok(atom.text.includes(`<id>${canonical.replace("json", "atom").replaceAll("&", "&amp;")}</id>`));
    assert.match(
      (await get("/animals.atom?species=bird")).text,
      /<updated>1970-01-01T00:00:00\.000Z<\/updated>/,
    );
  });
});

test("Style sheets and budgets", async (t) => {
  const { get, change, clock } = await startScene(t, { isPublic: true, accent: "#ffee00" });
  const stylesOf = async () => linksOf(await get("/animals")).filter((href) => href.endsWith(".css"));

  await t.test("style sheets have hashed, immutable addresses, and the accent has its own", async () => {
    const [style = "", accent = "", ...others] = await stylesOf();
    assert.deepEqual(others, []);
    for (const href of [style, accent]) {
      const { status, headers } = await get(href.replace("/shelter", ""), { "accept-encoding": "br" });
      assert.equal(status, 200);
      assert.equal(headers["content-type"], "text/css; charset=utf-8");
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
      assert.equal(headers["content-encoding"], "br");
    }
    assert.match(
      (await get(accent.replace("/shelter", ""))).text,
      /--accent:#ffee00;--on-accent:#000000;--link:#[0-9a-f]{6}/,
    );
    // A page in a cache may name the files of another release.
    const old = await get(style.replace("/shelter", "").replace(/[0-9a-f]{12}/, "0".repeat(12)));
    assert.deepEqual([old.status, old.headers["cache-control"]], [200, "public, max-age=60"]);
    assert.equal((await get("/site/nothing.css")).status, 404);
    await change({ accent: null });
    assert.deepEqual(await stylesOf(), [style]);
  });

  await t.test("an address gets 120 pages a minute, then a page that says so", async () => {
    const client = { "x-forwarded-for": "198.51.100.1" };
    const { headers } = await get("/animals", client);
    const kinds = [
      () => get("/animals", { ...client, "if-none-match": headers.etag ?? "" }),
      () => get("/animals", client, "HEAD"),
      () => get("/animals.atom", client),
      () => get("/robots.txt", client),
      () => get("/sitemap.xml", client),
      () => get("/animals/999", client),
      () => get("/shelters/1", client),
    ];
    const answers: Answer[] = [];
    for (const kind of kinds) answers.push(...(await repeat(17, kind)));
    assert.deepEqual(countStatuses(answers), { 200: 85, 304: 17, 404: 17 });
    const refused = await get("/animals", client);
    assert.equal(refused.status, 429);
    assert.match(refused.text, /<h1><bdi>Too many requests<\/bdi><\/h1>/);
    assert.equal(refused.headers["cache-control"], "no-store");
    assert.match(refused.headers["retry-after"] ?? "", /^\d+$/);
    await assertValidHtml(refused.text);
    assert.equal((await get("/animals", { "x-forwarded-for": "198.51.100.2" })).status, 200);
    clock.advance(60_000);
    assert.equal((await get("/animals", client)).status, 200);
  });

  await t.test("photos and style sheets share a budget of 1,200 a minute", async () => {
    const client = { "x-forwarded-for": "198.51.100.3" };
    const [style = ""] = await stylesOf();
    const path = style.replace("/shelter", "");
    const photo = `/photos/${"0".repeat(64)}-320.webp`;
    const read = (each: string) =>
      Promise.all(Array.from({ length: 6 }, () => repeat(100, () => get(each, client))));
    assert.deepEqual(countStatuses((await read(path)).flat()), { 200: 600 });
    assert.deepEqual(countStatuses((await read(photo)).flat()), { 404: 600 });
    for (const each of [path, photo]) assert.equal((await get(each, client)).status, 429);
    assert.equal((await get("/animals", client)).status, 200);
  });
});
