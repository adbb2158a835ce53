// The page of a shelter, and its contact on the page of an animal.

import type { Shelter } from "../domain/shelters/shelter.ts";
import type { Animal } from "./animal.ts";
import { cards } from "./cards.ts";
import { html, isolate, jsonScript, type Markup } from "./html.ts";
import { renderPage } from "./layout.ts";
import { mailLink, mapLink, phoneLink, webLink } from "./links.ts";
import type { Texts } from "./texts.ts";
import type { View } from "./view.ts";

export function renderShelter(view: View, shelter: Shelter, animals: Animal[]): string {
  const { texts, base } = view;
  const { id, name, about } = shelter;
  const path = `/shelters/${id}`;
  const contact = ways(shelter, texts);
  const main = html`<h1>${isolate(name)}</h1>
${about !== undefined && html`<p class="text" dir="auto">${about}</p>`}
${contact !== undefined && html`<section class="panel"><h2>${texts.contact}</h2>\n${contact}\n</section>\n`}<section><h2>${texts.animalsHere}</h2>
${animals.length === 0 ? html`<p class="empty">${texts.noneHere}</p>` : cards(view, animals, { showsShelter: false })}
<p><a class="button" href="${base}/animals?shelterId=${id}">${texts.allHere}</a></p>
</section>`;
  return renderPage(view, {
    title: name,
    description: about ?? `${name}: ${texts.animals}`,
    path,
    isIndexed: true,
    photo: animals.find(({ photos }) => photos.length > 0)?.photos[0],
    feed: `?shelterId=${id}`,
    head: html`${jsonScript("application/ld+json", describe(view, shelter, path))}\n`,
    main,
  });
}

/** All ways to reach the shelter. Undefined if there are none. */
export function ways(shelter: Shelter, texts: Texts): Markup | undefined {
  const { labels } = texts;
  const map = mapLink(shelter);
  const apply = webLink(shelter.adoptUrl);
  const rows: Array<[string, Markup | undefined]> = [
    [labels.adoptUrl, link(apply, apply && texts.application)],
    [labels.email, link(mailLink(shelter.email), shelter.email)],
    [labels.phone, link(phoneLink(shelter.phone), shelter.phone)],
    [labels.website, link(webLink(shelter.website), shorten(shelter.website))],
    [labels.address, addressOf(shelter, texts)],
    [
      labels.hours,
      shelter.openingHours ? html`<span class="text">${isolate(shelter.openingHours)}</span>` : undefined,
    ],
  ];
  const known = rows.filter(([, content]) => content !== undefined);
  if (known.length === 0 && map === undefined) return undefined;
  return html`${
    known.length > 0 &&
    html`<dl class="ways">
${known.map(([label, content]) => html`<div><dt>${label}</dt><dd>${content}</dd></div>\n`)}</dl>`
  }${map !== undefined && html`<p><a href="${map}">${labels.map}</a></p>`}`;
}

/** An address as people say it: "riverside.example". */
function shorten(address: string | undefined): string | undefined {
  return address?.replace(/^https:\/\//, "").replace(/\/$/, "");
}

/** Without an address that may be a link, the text alone. */
function link(href: string | undefined, text: string | undefined): Markup | undefined {
  if (!text) return undefined;
  return href === undefined ? isolate(text) : html`<a href="${href}">${isolate(text)}</a>`;
}

function addressOf({ address }: Shelter, { locale }: Texts): Markup | undefined {
  if (address === undefined) return undefined;
  const { street, postalCode, city, region, country } = address;
  const countryName = country && new Intl.DisplayNames(locale, { type: "region" }).of(country);
  const lines = [street, [postalCode, city].filter(Boolean).join(" "), region, countryName].filter(
    Boolean,
  ) as string[];
  return lines.length === 0
    ? undefined
    : html`${lines.map((line, index) => html`${index > 0 && html`<br>`}${isolate(line)}`)}`;
}

/** For search engines, in the words of schema.org. */
function describe({ publicUrl }: View, shelter: Shelter, path: string): object {
  const { name, about, email, phone, website, address, location } = shelter;
  const { street, postalCode, city, region, country } = address ?? {};
  return {
    "@context": "https://schema.org",
    "@type": "AnimalShelter",
    "@id": publicUrl + path,
    name,
    url: publicUrl + path,
    description: about,
    email,
    telephone: phone,
    sameAs: webLink(website),
    address: address && {
      "@type": "PostalAddress",
      streetAddress: street,
      postalCode,
      addressLocality: city,
      addressRegion: region,
      addressCountry: country,
    },
    geo: location && { "@type": "GeoCoordinates", ...location },
  };
}
