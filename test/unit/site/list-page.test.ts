// The list of animals as HTML.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Animal } from "../../../src/site/animal.ts";
import { renderList } from "../../../src/site/list-page.ts";
import { viewOf } from "../../../src/site/site-pages.ts";
import { findStyle } from "../../../src/site/styles.ts";
import { createClock } from "../../harness/servers/app.ts";

const FIRST_VIEW_MAX = 120_000;
const WIDTHS = [320, 640, 1280, 2048];

function animalOf(id: number): Animal {
  const urls = Object.fromEntries(WIDTHS.map((width) => [width, `/photos/${"a".repeat(64)}-${width}.webp`]));
  return {
    id,
    name: `Animal ${id}`,
    status: "available",
    profile: {
      species: "dog",
      breeds: ["Labrador Retriever", "Beagle"],
      mixed: true,
      sex: "male",
      size: "large",
    },
    photos: [{ id: 1, width: 4_000, height: 3_000, alt: "A dog in the garden", urls }],
    shelter: { id: 1, name: "Riverside Shelter", city: "Berlin" },
    createdAt: "2027-01-01T00:00:00.000Z",
    updatedAt: "2027-01-01T00:00:00.000Z",
  };
}

test("a page with 24 photos and its style sheet have at most 120 kB, even uncompressed", () => {
  const services = { clock: createClock(Date.UTC(2027, 0, 1)), publicUrl: () => "https://a.example" };
  const view = viewOf({ site: { isPublic: true, language: "de" }, title: "Tiere" }, services);
  const query = { filter: {}, values: {} };
  const animals = Array.from({ length: 24 }, (_, index) => animalOf(index + 1));
  const page = renderList(view, { query, animals, next: "abc", shelters: [], species: [] });
  assert.equal(page.match(/<img /g)?.length, 24);
  assert.match(page, new RegExp(`${WIDTHS.map((width) => `[^ ]+ ${width}w`).join(", ")}"`));
  const styles = view.styles.map((path) => findStyle(path.replace("/site/", ""))?.text ?? assert.fail(path));
  const bytes = Buffer.byteLength([page, ...styles].join(""));
  assert.ok(bytes < FIRST_VIEW_MAX, `${bytes} bytes`);
  // Only the first photo is loaded before it is near the visible part.
  assert.equal(page.match(/loading="lazy"/g)?.length, 23);
});
