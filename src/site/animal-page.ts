// The page of one animal: photos, story, facts, its shelter and one next step.

import type { Shelter } from "../domain/shelters/shelter.ts";
import { type Animal, factMarkup, factText, listFacts, summarise } from "./animal.ts";
import { factLine } from "./cards.ts";
import { html, isolate, type Markup } from "./html.ts";
import { renderPage } from "./layout.ts";
import { nextStep, webLink } from "./links.ts";
import { ways } from "./shelter-page.ts";
import { silhouette } from "./silhouettes.ts";
import { image, type View } from "./view.ts";

/** The widths that style.css gives a photo and a thumbnail. */
const PHOTO_SIZES = "(min-width: 60rem) 36rem, 100vw";
const THUMBNAIL_SIZES = "5rem";

export function renderAnimal(view: View, animal: Animal, shelter: Shelter): string {
  const { texts, nowMs, base, publicUrl } = view;
  const { id, name, status, profile, photos } = animal;
  const { description, videoUrl } = profile;
  const path = `/animals/${id}`;
  const summary = summarise(animal, texts, nowMs);
  const step = nextStep(animal, shelter, texts, publicUrl + path);
  const contact = ways(shelter, texts);
  const video = webLink(videoUrl);
  const facts = listFacts(animal, texts, nowMs);
  const main = html`<article class="animal">
${gallery(animal, view)}
<div class="head">
<h1>${isolate(name)}</h1>
${summary.length > 0 && html`<p class="summary">${factLine(summary)}</p>\n`}${status === "pending" && html`<p><span class="badge">${texts.reserved}</span> ${texts.reservedNote}</p>\n`}${step && html`<p class="step"><a class="button next" href="${step.href}">${isolate(step.text)}</a></p>\n`}</div>
${
  description &&
  html`<section><h2>${texts.story}</h2>
<p class="text" dir="auto">${description}</p>
</section>\n`
}${video !== undefined && html`<p><a href="${video}">${texts.video}</a></p>\n`}<section><h2>${texts.facts}</h2>
<dl class="facts">
${facts.map(([label, fact, answer]) => html`<div><dt>${label}</dt><dd${answer && html` class="${answer}"`}>${factMarkup(fact)}</dd></div>\n`)}</dl>
</section>
<section class="panel"><h2>${contact === undefined ? texts.labels.shelter : texts.contact}</h2>
<p><a href="${base}/shelters/${shelter.id}">${isolate(shelter.name)}</a></p>
${contact}
</section>
</article>`;
  return renderPage(view, {
    title: name,
    description: description || [name, ...summary.map(factText)].join(" · "),
    path,
    isIndexed: true,
    photo: photos[0],
    main,
  });
}

/** Photos in a row that scrolls and snaps, with a thumbnail as a link to each. No script is needed. */
function gallery({ name, photos, profile }: Animal, { texts }: View): Markup {
  if (photos.length === 0) return html`<div class="photos none">${silhouette(profile.species)}</div>`;
  const altOf = (index: number) => photos[index]?.alt || texts.photoOf(name, index + 1);
  const shown = photos.map(
    (photo, index) =>
      html`<li id="photo-${index + 1}">${image(photo, PHOTO_SIZES, { alt: altOf(index), isFirst: index === 0 })}</li>\n`,
  );
  const thumbnails = photos.map(
    (photo, index) =>
      html`<li><a href="#photo-${index + 1}">${image(photo, THUMBNAIL_SIZES, { alt: altOf(index) })}</a></li>\n`,
  );
  return html`<div class="gallery">
<ul class="photos" tabindex="0" aria-label="${texts.photos}">
${shown}</ul>
${photos.length > 1 && html`<ul class="thumbnails">\n${thumbnails}</ul>`}
</div>`;
}
