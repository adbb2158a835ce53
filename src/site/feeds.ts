// The newest animals as Atom (RFC 4287) and as JSON Feed 1.1.

import { plain } from "../domain/basics/text.ts";
import { type Animal, factMarkup, summarise } from "./animal.ts";
import { html, toText } from "./html.ts";
import { absolute } from "./layout.ts";
import { toQueryString } from "./query.ts";
import { sharedFile, type View } from "./view.ts";

/** The time of a feed without animals. */
const NEVER = "1970-01-01T00:00:00.000Z";

type Values = Record<string, string>;

export function renderAtom(view: View, animals: Animal[], values: Values): string {
  const { publicUrl, site } = view;
  const filters = toQueryString(values);
  const self = `${publicUrl}/animals.atom${filters}`;
  const newest =
    animals
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? NEVER;
  const entries = animals.map((animal) => {
    const { address, title, content } = describe(view, animal);
    return html`<entry>
<id>${address}</id>
<title>${title}</title>
<link rel="alternate" type="text/html" href="${address}"/>
<published>${animal.createdAt}</published>
<updated>${animal.updatedAt}</updated>
<content type="html">${content}</content>
</entry>
`;
  });
  return toText(html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${site.language}">
<id>${self}</id>
<title>${plain(view.title)}</title>
<updated>${newest}</updated>
<author><name>${plain(view.title)}</name></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${publicUrl}/animals${filters}"/>
${entries}</feed>
`);
}

export function renderJsonFeed(view: View, animals: Animal[], values: Values): string {
  const { publicUrl, site } = view;
  const filters = toQueryString(values);
  const items = animals.map((animal) => {
    const { address, title, content, photo } = describe(view, animal);
    return {
      id: address,
      url: address,
      title,
      content_html: content,
      image: photo,
      date_published: animal.createdAt,
      date_modified: animal.updatedAt,
      tags: animal.profile.tags?.map(plain),
    };
  });
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: plain(view.title),
    home_page_url: `${publicUrl}/animals${filters}`,
    feed_url: `${publicUrl}/animals.json${filters}`,
    language: site.language,
    items,
  });
}

/** What both feeds say about an animal. `content` is HTML. */
function describe(view: View, animal: Animal) {
  const { publicUrl, texts, nowMs } = view;
  const { id, name, status, photos, profile } = animal;
  const [cover] = photos;
  const file = sharedFile(cover);
  const photo = file && absolute(view, file.url);
  const lines = profile.description?.split("\n").filter((line) => line.trim() !== "") ?? [];
  const facts = summarise(animal, texts, nowMs);
  const content = html`${photo !== undefined && html`<p><img src="${photo}" alt="${plain(cover?.alt ?? "")}"></p>`}${facts.length > 0 && html`<p>${facts.map((fact, index) => html`${index > 0 && " · "}${factMarkup(fact)}`)}</p>`}${lines.map((line) => html`<p>${line}</p>`)}`;
  const title = plain(status === "pending" ? `${name} (${texts.reserved})` : name);
  return { address: `${publicUrl}/animals/${id}`, title, content: toText(content), photo };
}
