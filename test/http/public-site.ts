// A service with public pages, and what tests ask of every page.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { HtmlValidate } from "html-validate";
import type { Answer } from "../harness/clients/call.ts";
import { drawImage } from "../harness/clients/images.ts";
import { startApp } from "../harness/servers/app.ts";
import { sparingProcessor } from "../harness/servers/images.ts";

export const PUBLIC_URL = "https://animals.example.org/shelter";
export const DAY_MS = 86_400_000;
/** Nodes read the state of the site again after this. */
export const STATE_MS = 250;
/** Whatever staff write may be an attack. */
export const HOSTILE = `</title><script>alert(1)</script>"' onload=x &amp; \u202eevil`;

const checker = new HtmlValidate({
  extends: ["html-validate:recommended", "html-validate:document"],
  rules: {
    "doctype-style": "off",
    "form-dup-name": ["error", { shared: ["checkbox", "submit"] }],
    "long-title": "off",
    "no-trailing-whitespace": "off",
    "require-sri": "off",
    "tel-non-breaking": "off",
    "void-style": "off",
  },
});

export async function assertValidHtml(text: string): Promise<void> {
  const { results } = await checker.validateString(text);
  const messages = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => ({ ruleId, message, line })),
  );
  assert.deepEqual(messages, []);
}

export async function startSite(t: TestContext, site: object = { isPublic: true }) {
  const environment = { PUBLIC_URL, TRUST_PROXY: "127.0.0.1" };
  const app = await startApp(t, { environment, images: sparingProcessor() });
  const { call, clock, outside } = app;
  let addresses = 0;
  /** From another client address each time, unless `headers` have one. */
  const get = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> => {
    addresses += 1;
    const client = { "x-forwarded-for": `192.0.2.${addresses % 250}`, accept: "text/html" };
    return outside(method, path, { headers: { ...client, ...headers } });
  };
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
export function linksOf({ text }: Answer): string[] {
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
}

export const SHELTER = {
  name: "Riverside",
  email: "hello@riverside.example",
  phone: "+49 (30) 123-456",
  website: "https://riverside.example/",
  adoptUrl: "https://riverside.example/adopt?from=site",
  address: { street: "Uferweg 12", postalCode: "10115", city: "Berlin", country: "DE" },
  location: { latitude: 52.5, longitude: 13.4 },
  openingHours: "Mo 10–12\nTu closed",
};

type PublicSite = Awaited<ReturnType<typeof startSite>>;

/** An open site with Luna, who is available, Max, who is reserved, and one who is sold. */
export async function startPages(t: TestContext) {
  const site = await startSite(t, { isPublic: true, title: "Our animals", introduction: "Hello\nthere" });
  await site.call("PATCH", "/shelters/1", { body: SHELTER });
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
  const luna = await site.add("Luna", profile);
  const reserved = await site.add("Max", { species: "cat" }, "pending");
  const sold = await site.add("Sold one", {}, "sold");
  return { ...site, luna, reserved, sold };
}

/** One of 1500 and one of 200 pixels. */
export async function addPhotos({ call, clock }: PublicSite, id: number): Promise<void> {
  const headers = { "content-type": "image/png" };
  const alt = `?alt=${encodeURIComponent("Luna in the park")}`;
  const image = await drawImage("red", { width: 1500, height: 1000 });
  await call("POST", `/pets/${id}/photos${alt}`, { body: image, headers });
  const small = await drawImage("green", { width: 200, height: 100 });
  await call("POST", `/pets/${id}/photos`, { body: small, headers });
  clock.advance(STATE_MS);
}
