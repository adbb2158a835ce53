// The public site: getSite, updateSite, and the animals that people see without a key.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/clients/call.ts";
import { assertError } from "./assertions.ts";
import {
  addPhotos,
  assertValidHtml,
  DAY_MS,
  linksOf,
  PUBLIC_URL,
  SHELTER,
  STATE_MS,
  startPages,
  startSite,
} from "./public-site.ts";

test("GET and PATCH /site", async (t) => {
  const { call, createKey } = await startSite(t, {});

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
  const { get, change, add } = await startSite(t, {});
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
    for (const path of [
      ...paths,
      "/animals/",
      "/animals?sex=wrong",
      "/animals/1/2",
      "/shelters",
      "/shelters/1/",
    ]) {
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

test("The public list", async (t) => {
  const site = await startPages(t);
  const { get, luna } = site;
  await addPhotos(site, luna);

  await t.test(
    "the list shows available and reserved animals, newest first, with photos in their widths",
    async () => {
      const { text } = await get("/animals");
      assert.match(text, /<h1><bdi>Our animals<\/bdi><\/h1>\n<p class="text" dir="auto">Hello\nthere<\/p>/);
      assert.match(text, /<bdi>Max<[\s\S]*<bdi>Luna</);
      assert.doesNotMatch(text, /Sold one/);
      assert.match(text, /Reserved/);
      const facts = text.replaceAll(/<span class="fact">|<\/span>/g, "");
      assert.match(facts, /<p><bdi>Beagle<\/bdi> mix\u00a0· female\u00a0· about 2 years\u00a0· medium<\/p>/);
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
      assert.match(text, /value="dog" aria-pressed="true">Dogs</);
      assert.match(text, /value="children" checked>/);
      assert.match(text, /name="q" value="&quot;luna&quot;"/);
      assert.match(text, /No animal matches this search\./);
    },
  );

  await t.test(
    "the form offers a button for each species that is there, and keeps the chosen one",
    async () => {
      const chipsOf = async (query: string) =>
        [...(await get(`/animals${query}`)).text.matchAll(/class="chip"[^>]*>([^<]+)/g)].map(
          ([, text]) => text,
        );
      assert.deepEqual(await chipsOf(""), ["All", "Dogs", "Cats"]);
      assert.deepEqual(await chipsOf("?species=bird"), ["All", "Dogs", "Cats", "Birds"]);
      const { text } = await get("/animals?species=cat&goodWith=children");
      assert.ok(text.includes('<a class="chip" href="/shelter/animals?goodWith=children">All</a>'));
      assert.match(text, /<button class="button" type="submit" name="species" value="cat">Search</);
      assert.doesNotMatch((await get("/animals?species=unicorn")).text, /value="unicorn"/);
    },
  );
});

test("Addresses of the public pages", async (t) => {
  const { get, luna } = await startPages(t);

  await t.test(
    "an address with a slash at its end redirects permanently to the page without it",
    async () => {
      for (const [path, page] of Object.entries({
        "/animals/": "/animals",
        "/animals/?species=dog&q=a/": "/animals?species=dog&q=a/",
        [`/animals/${luna}/`]: `/animals/${luna}`,
        "/animals/x%22%0D/": "/animals/x%22%0D",
        "/shelters/1/": "/shelters/1",
      })) {
        const { status, headers } = await get(path);
        assert.deepEqual([status, headers.location], [308, `/shelter${page}`], path);
        assert.equal(headers["cache-control"], "public, max-age=60, stale-while-revalidate=60");
      }
    },
  );

  await t.test(
    "unknown addresses have the site's own 404 page, which leads to the animals and not to the console",
    async () => {
      for (const path of [
        "/Animals",
        "/animals.atom/",
        "/animals.html",
        "/animal",
        "/site/none.css",
        `/photos/${"0".repeat(64)}-320.webp`,
        "/animals/%zz",
        "/shelters",
        "/shelters/",
        "/animals//",
        "/animals/1//",
        "/animals/1/2",
        "/animals//1",
        "/shelters/1/x/",
        "/animals/999",
        "/animals/abc",
      ]) {
        const { status, text, headers } = await get(path);
        assert.equal(status, 404, path);
        assert.match(text, /<h1><bdi>Page not found<\/bdi><\/h1>[\s\S]*href="\/shelter\/animals"/, path);
        assert.doesNotMatch(text, /href="\/shelter\/"|console/i, path);
        assert.equal(headers["cache-control"], "no-store");
        assert.match(headers["content-security-policy"] ?? "", /^default-src 'none'/);
      }
    },
  );
});

test("The page of an animal", async (t) => {
  const site = await startPages(t);
  const { get, call, clock, luna, sold } = site;
  await addPhotos(site, luna);

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
        assert.match(text, new RegExp(`<dt>${label}</dt><dd(?: class="${fact}")?>${fact}</dd>`), label);
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
});

test("Changes", async (t) => {
  const { get, call, change, describe, clock, addPet, luna } = await startPages(t);

  await t.test("an absent title is the name of the first shelter", async () => {
    await change({ title: null });
    await call("PATCH", "/shelters/1", { body: SHELTER });
    clock.advance(STATE_MS);
    assert.match((await get("/animals")).text, /<h1><bdi>Riverside<\/bdi>/);
  });

  await t.test("pages are current within 250 ms of every change, and at midnight", async () => {
    await get(`/animals/${luna}`);
    await describe(luna, { description: "Another story" });
    assert.match((await get(`/animals/${luna}`)).text, /Another story/);
    await describe(luna, { bornOn: "2026-12-19", bornIsEstimated: false });
    assert.match((await get("/animals")).text, /1 week\u00a0·/);
    clock.advance(DAY_MS);
    assert.match((await get("/animals")).text, /2 weeks\u00a0·/);
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
  const { get, add, call, clock } = await startSite(t);
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

test("A crawl while animals change finds those that stay exactly once", async (t) => {
  const { get, add, call, clock } = await startSite(t);
  const staying: number[] = [];
  const leaving: number[] = [];
  for (let index = 0; index < 80; index += 1)
    (index % 8 === 0 ? leaving : staying).push(await add(`Animal ${index}`));
  const listed: number[] = [];
  let path: string | undefined = "/animals";
  while (path !== undefined) {
    const page: Answer = await get(path);
    assert.equal(page.status, 200, path);
    const links = linksOf(page);
    listed.push(...links.flatMap((href) => /\/animals\/(\d+)$/.exec(href)?.[1] ?? []).map(Number));
    path = links.find((href) => /^\/.*cursor=/.test(href))?.slice("/shelter".length);
    // Some that were listed, and some that were not yet.
    const [first, last] = [leaving.shift(), leaving.pop()];
    await call("DELETE", `/pets/${first}`);
    await call("PATCH", `/pets/${last}`, { body: { status: "sold" } });
    await add("Newcomer", { species: "dog" });
    await call("PATCH", `/pets/${staying[0]}`, { body: { status: "pending" } });
    await call("PATCH", `/pets/${staying.at(-1)}/profile`, { body: { description: `${listed.length}` } });
    clock.advance(STATE_MS);
  }
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(
    staying.filter((id) => !listed.includes(id)),
    [],
  );
  assert.ok(listed.length < 80, "animals that left before their page are not listed");
});
