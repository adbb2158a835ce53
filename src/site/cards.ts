// Animals as cards, on the list and on the page of a shelter.

import { type Animal, type Fact, factMarkup, summarise } from "./animal.ts";
import { html, isolate, type Markup } from "./html.ts";
import { silhouette } from "./silhouettes.ts";
import { image, type View } from "./view.ts";

/** The widths that style.css gives a card. */
const SIZES = "(min-width: 75rem) 17.5rem, (min-width: 42rem) 45vw, 92vw";

export function cards(view: View, animals: Animal[], { showsShelter }: { showsShelter: boolean }): Markup {
  const items = animals.map((animal, index) => card(view, animal, { showsShelter, isFirst: index === 0 }));
  return html`<ul class="cards">\n${items}</ul>`;
}

function card(
  { base, texts, nowMs }: View,
  animal: Animal,
  { showsShelter, isFirst }: { showsShelter: boolean; isFirst: boolean },
): Markup {
  const { id, name, status, photos, profile, shelter } = animal;
  const [cover] = photos;
  const facts = summarise(animal, texts, nowMs);
  const place =
    shelter.city === undefined
      ? isolate(shelter.name)
      : html`${isolate(shelter.name)}, ${isolate(shelter.city)}`;
  return html`<li class="card">
<div class="cover">${cover === undefined ? silhouette(profile.species) : image(cover, SIZES, { isFirst })}</div>
<h2><a href="${base}/animals/${id}">${isolate(name)}</a></h2>
${status === "pending" && html`<p class="badge">${texts.reserved}</p>\n`}${facts.length > 0 && html`<p>${factLine(facts)}</p>\n`}${showsShelter && html`<p class="quiet">${place}</p>\n`}</li>
`;
}

/** Facts in a line, which breaks between them if it can, and never before a dot. */
export function factLine(facts: Fact[]): Markup[] {
  const last = facts.length - 1;
  return facts.map(
    (fact, index) =>
      html`${index > 0 && " "}<span class="fact">${factMarkup(fact)}${index < last && "\u00a0·"}</span>`,
  );
}
