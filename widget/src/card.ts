// One animal as a card. Everything from the service becomes text, never markup.

import type { Listing, Photo } from "../../client/src/client.ts";
import { describeAge } from "../../src/domain/animals/words.ts";
import { isVisible, plain } from "../../src/domain/basics/text.ts";
import type { Texts } from "./texts.ts";

const SIZES = "auto, (min-width: 40rem) 20rem, 100vw";

/** `part` is also how the style finds the element. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  part = "",
  ...children: Array<Node | string>
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (part !== "") element.setAttribute("part", part);
  element.append(...children);
  return element;
}

interface CardOptions {
  texts: Texts;
  /** The address of the service. Photos are loaded from there, whatever its public address is. */
  root: string;
  /** Undefined: the name is no link. */
  href: string | undefined;
}

export function renderCard(listing: Listing, { texts, root, href }: CardOptions): HTMLLIElement {
  const { id, status, profile, photos, shelter } = listing;
  const name = isVisible(listing.name) ? listing.name : texts.numbered(id);
  const [cover] = photos;
  const title = create(href === undefined ? "span" : "a", "name", name);
  if (title instanceof HTMLAnchorElement && href !== undefined) title.href = href;
  // A name that is too long for its line can still be read.
  title.title = plain(name);
  title.dir = "auto";
  const described = describeFacts(profile, texts);
  const facts = create("p", "facts");
  // Each is a block of its own: no character of a breed can change the direction of the other facts.
  for (const [index, fact] of described.entries())
    facts.append(create("bdi", "", index < described.length - 1 ? `${fact}\u00a0·` : fact), " ");
  const place = create("p", "shelter", [shelter.name, shelter.city].filter(Boolean).join(", "));
  place.dir = "auto";
  return create(
    "li",
    "card",
    cover === undefined ? create("div", "photo", texts.noPhoto) : renderPhoto(cover, root),
    title,
    ...(status === "pending" ? [create("span", "reserved", texts.reserved)] : []),
    facts,
    place,
  );
}

/** As high as a card, while the animals are loaded. */
export function renderPlaceholder(): HTMLLIElement {
  const parts = [
    create("div", "photo"),
    create("span", "name"),
    create("p", "facts"),
    create("p", "shelter"),
  ];
  const card = create("li", "card placeholder", ...parts);
  card.ariaHidden = "true";
  return card;
}

function renderPhoto({ urls, width, height, alt }: Photo, root: string): HTMLImageElement {
  const image = create("img", "photo");
  image.loading = "lazy";
  image.decoding = "async";
  image.alt = alt;
  image.width = width;
  image.height = height;
  image.sizes = SIZES;
  const files = Object.entries(urls).map(([fileWidth, url]: [string, string]) => ({
    url: `${root}/photos/${url.slice(url.lastIndexOf("/") + 1)}`,
    fileWidth: Math.min(Number(fileWidth), width),
  }));
  image.srcset = files.map(({ url, fileWidth }) => `${url} ${fileWidth}w`).join(", ");
  image.src = files[0]?.url ?? "";
  // No browser's sign for a broken image.
  image.addEventListener("error", () => image.replaceWith(create("div", "photo", alt)), { once: true });
  return image;
}

function describeFacts({ breeds = [], ...profile }: Listing["profile"], texts: Texts): string[] {
  const { species, mixed, sex, size, bornOn, bornIsEstimated } = profile;
  const breed = breeds.join(" / ");
  const pure = breed || (species && texts.species[species]);
  const age = bornOn && describeAge(bornOn, Date.now(), texts);
  return [
    mixed ? (breed === "" ? texts.mixed : breed + texts.mix) : pure,
    sex && sex !== "unknown" && texts.sex[sex],
    age && (bornIsEstimated ? `${texts.about} ${age}` : age),
    size && texts.size[size],
  ].filter((fact) => typeof fact === "string");
}
