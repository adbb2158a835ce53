// The public pages, feeds and style sheets as they are sent: headers, HTML, hostile texts, budgets. No engine decides this.

import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Answer, countStatuses, repeat } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import {
  assertValidHtml,
  HOSTILE,
  linksOf,
  PUBLIC_URL,
  SHELTER,
  STATE_MS,
  startPages,
  startSite,
} from "../public-site.ts";

test("Every page", async (t) => {
  const { get, luna, reserved } = await startPages(t);

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
    "pages are the same from the cache as from the framework, also unchanged and for other origins",
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

  await t.test(
    "pages are valid HTML with one h1, a language, a canonical address and Open Graph",
    async () => {
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
    },
  );
});

test("The page of a shelter", async (t) => {
  const { get, call, add, clock, luna } = await startPages(t);

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
});

test("A search", async (t) => {
  const { get } = await startPages(t);

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
    assert.match(typed.text, /name="species" value="dog" aria-pressed="true"/);
    assert.match(typed.text, /value="cats" checked>/);
    const long = await get("/animals?q=a+b+c+d+e+f");
    assert.match(long.text, /A search has at most 5 words and 200 characters\./);
    assert.doesNotMatch(long.text, /No animal matches/);
  });

  await t.test("the link for feed readers has the filters of the page, and says what it is", async () => {
    const { text } = await get("/animals?species=dog&q=luna");
    assert.match(
      text,
      /<a type="application\/atom\+xml" href="\/shelter\/animals\.atom\?q=luna&amp;species=dog">Subscribe to new animals \(feed\)</,
    );
  });

  await t.test("the filters end with a button of their own, and can be cleared", async () => {
    const buttons = ({ text }: Answer) =>
      text.match(/<button class="button" type="submit"[^>]*>Search</g)?.length;
    assert.match(
      (await get("/animals?q=luna&sex=female&ageGroup=adult&goodWith=children,cats&shelterId=1")).text,
      /<details>[\s\S]*<p class="chosen"><span>Sex: <bdi>female<\/bdi><\/span> <span>Age: <bdi>2 to 9 years<\/bdi><\/span> <span>Shelter: <bdi>Riverside<\/bdi><\/span> <span>Good with: <bdi>children, cats<\/bdi><\/span> <a href="\/shelter\/animals\?q=luna">Clear filters<\/a>/,
      "closed, so that the animals are on the screen",
    );
    const plain = await get("/animals?q=luna");
    assert.equal(buttons(plain), 2);
    assert.doesNotMatch(plain.text, /Clear filters/);
    assert.match(plain.text, /<\/fieldset>\n<p class="actions"><button /);
    const filtered = await get("/animals?q=luna&sex=female");
    assert.match(filtered.text, /<a href="\/shelter\/animals\?q=luna">Clear filters<\/a>/);
    assert.match((await get("/animals?sex=female")).text, /<a href="\/shelter\/animals">Clear filters<\/a>/);
  });
});

test("Texts", async (t) => {
  const { get, add, call, change, clock, luna } = await startPages(t);

  await t.test("speak German", async () => {
    await change({ language: "de" });
    const { text } = await get(`/animals/${luna}`);
    assert.match(text, /<html lang="de">/);
    assert.match(text, /etwa 2 Jahre\u00a0·/);
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
});

test("Feeds", async (t) => {
  const { get, add } = await startSite(t, { isPublic: true, title: "A & B\u202e" });
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
  const { get, change, clock } = await startSite(t, { isPublic: true, accent: "#ffee00" });
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
