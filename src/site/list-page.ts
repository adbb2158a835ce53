// The list of animals with its form.

import { COMPANIONS, SPECIES, type Species } from "../domain/animals/profile.ts";
import { plain } from "../domain/basics/text.ts";
import type { ShelterSummary } from "../domain/shelters/shelter.ts";
import type { Animal } from "./animal.ts";
import { cards } from "./cards.ts";
import { html, isolate, type Markup } from "./html.ts";
import { drawMark, renderPage } from "./layout.ts";
import { type AnimalQuery, CHOICES, toQueryString } from "./query.ts";
import type { View } from "./view.ts";

/** A longer list of shelters would be the larger part of the page. */
const SHELTERS_MAX = 100;

interface ListParts {
  query: AnimalQuery;
  /** Why the query has no animals: a sentence. */
  problem?: string;
  animals: Animal[];
  /** The cursor of the next page. */
  next: string | undefined;
  shelters: ShelterSummary[];
  /** The species that have animals. */
  species: Species[];
}

export function renderList(view: View, { query, problem, animals, next, ...offers }: ListParts): string {
  const { texts, site, title } = view;
  const { values, cursor } = query;
  const filters = toQueryString(values);
  const isPlain = filters === "" && cursor === undefined && problem === undefined;
  const main = html`<div class="hero">
${drawMark()}
<h1>${isolate(title)}</h1>
${isPlain && html`<p class="text" dir="auto">${site.introduction ?? texts.animals}</p>\n`}</div>
${problem !== undefined && html`<p class="problem" role="alert"><strong>${texts.bad}.</strong> ${problem}</p>\n`}${form(view, query, { ...offers, isOpen: problem !== undefined })}
${animals.length > 0 && cards(view, animals, { showsShelter: true })}
${animals.length === 0 && next === undefined && problem === undefined && html`<p class="empty">${filters === "" ? texts.noneHere : texts.noneFound}</p>`}
${problem === undefined ? navigation(view, query, next) : html`<p><a class="button" href="${view.base}/animals">${texts.showAll}</a></p>`}`;
  return renderPage(view, {
    description: site.introduction ?? texts.listDescription(title),
    ...(problem === undefined && {
      path: `/animals${toQueryString({ ...values, ...(cursor !== undefined && { cursor }) })}`,
      feed: filters,
    }),
    isIndexed: isPlain,
    photo: animals.find(({ photos }) => photos.length > 0)?.photos[0],
    main,
  });
}

/** The way back, and to the next page. */
function navigation(
  { base, texts }: View,
  { values, cursor }: AnimalQuery,
  next: string | undefined,
): Markup | undefined {
  const filters = toQueryString(values);
  const [back, backText] = cursor === undefined ? ["", texts.showAll] : [filters, texts.first];
  const links = [
    (cursor !== undefined || filters !== "") && html`<a href="${base}/animals${back}">${backText}</a>\n`,
    next !== undefined &&
      html`<a class="button" rel="next" href="${base}/animals${toQueryString({ ...values, cursor: next })}">${texts.more}</a>\n`,
  ].filter((link) => link !== false);
  return links.length === 0
    ? undefined
    : html`<nav class="pages" aria-label="${texts.animals}">\n${links}</nav>`;
}

type Offers = Pick<ListParts, "shelters" | "species">;

/** `isOpen`: the filters are shown. Otherwise they would push the animals that they have found off a phone. */
function form(
  view: View,
  { values }: AnimalQuery,
  { isOpen, ...offers }: Offers & { isOpen: boolean },
): Markup {
  const { base, texts } = view;
  const { q = "", goodWith = "", species, ...others } = values;
  const isFiltered = goodWith !== "" || Object.keys(others).length > 0;
  const chosen = goodWith.split(",");
  const boxes = COMPANIONS.map(
    (each) =>
      html`<label><input type="checkbox" name="goodWith" value="${each}"${chosen.includes(each) && html` checked`}> ${texts.companions[each]}</label>\n`,
  );
  const known = SPECIES.find((each) => each === species);
  // The button of another species sends that one instead.
  const search = html`<button class="button" type="submit"${known && html` name="species" value="${known}"`}>${texts.search}</button>`;
  const clear = html`<a href="${base}/animals${toQueryString(keep({ q, species: known }))}">${texts.clear}</a>`;
  return html`<form class="search" role="search" aria-label="${texts.find}" action="${base}/animals">
<div class="words"><label for="q">${texts.q}</label> <input id="q" type="search" name="q" value="${q}" maxlength="200"> ${search}</div>
${speciesChoice(view, values, known, offers.species)}<details${isOpen && html` open`}>
<summary>${texts.filters}</summary>
<div class="filters">
${choice("sex", texts.labels.sex, values.sex, CHOICES.sex, texts)}${choice("ageGroup", texts.labels.age, values.ageGroup, CHOICES.ageGroup, texts)}${choice("size", texts.labels.size, values.size, CHOICES.size, texts)}${shelterChoice(texts, values.shelterId, offers.shelters)}<fieldset><legend>${texts.labels.goodWith}</legend>
${boxes}</fieldset>
<p class="actions">${search}${isOpen && isFiltered && html` ${clear}`}</p>
</div>
</details>
${!isOpen && isFiltered && html`<p class="chosen">${filtersInWords(texts, values, offers.shelters)}${clear}</p>\n`}</form>`;
}

/** "Good with: children". A shelter that the form does not offer has no words. */
function filtersInWords(
  texts: View["texts"],
  values: AnimalQuery["values"],
  shelters: ShelterSummary[],
): Markup[] {
  const { labels, companions } = texts;
  const wordOf = (name: keyof typeof CHOICES) => {
    const words: Record<string, string> = texts[name];
    return words[values[name] ?? ""];
  };
  const chosen = {
    [labels.sex]: wordOf("sex"),
    [labels.age]: wordOf("ageGroup"),
    [labels.size]: wordOf("size"),
    [labels.shelter]: shelters.find(({ id }) => String(id) === values.shelterId)?.name,
    [labels.goodWith]: COMPANIONS.filter((each) => values.goodWith?.split(",").includes(each))
      .map((each) => companions[each])
      .join(", "),
  };
  return Object.entries(chosen)
    .filter(([, words]) => words)
    .map(([label, words = ""]) => html`<span>${label}: ${isolate(words)}</span> `);
}

/** A button for each species, which also sends the rest of the form. */
function speciesChoice(
  { base, texts }: View,
  { species: _, ...others }: AnimalQuery["values"],
  chosen: Species | undefined,
  offered: Species[],
): Markup | undefined {
  if (offered.length < 2 && chosen === undefined) return undefined;
  const shown = SPECIES.filter((each) => each === chosen || offered.includes(each));
  const buttons = shown.map(
    (each) =>
      html`<button class="chip" type="submit" name="species" value="${each}" aria-pressed="${String(each === chosen)}">${texts.speciesGroups[each]}</button>\n`,
  );
  const all = html`<a class="chip" href="${base}/animals${toQueryString(others)}"${chosen === undefined && html` aria-current="true"`}>${texts.all}</a>`;
  return html`<div class="chips" role="group" aria-label="${texts.labels.species}">\n${all}\n${buttons}</div>\n`;
}

/** Without empty ones. */
function keep(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((each): each is [string, string] => Boolean(each[1])),
  );
}

function choice<N extends keyof typeof CHOICES>(
  name: N,
  label: string,
  value: string | undefined,
  words: readonly string[],
  texts: View["texts"],
): Markup {
  const names: Record<string, string> = texts[name];
  return select(
    name,
    label,
    texts.any,
    words.map((word) => ({ word, text: names[word] ?? word, isChosen: word === value })),
  );
}

/** A choice that the list does not offer is kept by the form. */
function shelterChoice(
  texts: View["texts"],
  value: string | undefined,
  shelters: ShelterSummary[],
): Markup | undefined {
  const isOffered = value === undefined || shelters.some(({ id }) => String(id) === value);
  if (!isOffered || shelters.length > SHELTERS_MAX)
    return value === undefined ? undefined : html`<input type="hidden" name="shelterId" value="${value}">\n`;
  if (shelters.length < 2 && value === undefined) return undefined;
  const options = shelters.map(({ id, name, city }) => ({
    word: String(id),
    text: plain(city === undefined ? name : `${name}, ${city}`),
    isChosen: String(id) === value,
  }));
  return select("shelterId", texts.labels.shelter, texts.any, options);
}

interface Option {
  word: string;
  text: string;
  isChosen: boolean;
}

function select(name: string, label: string, any: string, options: Option[]): Markup {
  return html`<label>${label} <select name="${name}">
<option value="">${any}</option>
${options.map(({ word, text, isChosen }) => html`<option value="${word}"${isChosen && html` selected`}>${text}</option>\n`)}</select></label>
`;
}
