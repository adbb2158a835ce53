// Addresses that staff wrote, as links: only of schemes that open a page, a letter or a call.

import { plain } from "../domain/basics/text.ts";
import type { Shelter } from "../domain/shelters/shelter.ts";
import type { Animal } from "./animal.ts";
import type { Texts } from "./texts.ts";

/** Undefined for an address that must not be a link, such as `javascript:`. */
export function webLink(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}

export function mailLink(
  email: string | undefined,
  letter: { subject?: string; body?: string } = {},
): string | undefined {
  const [local = "", domain = ""] = email?.split("@") ?? [];
  if (local === "" || domain === "") return undefined;
  const headers = Object.entries(letter).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  const query = headers.length === 0 ? "" : `?${headers.join("&")}`;
  return `mailto:${encodeURIComponent(local)}@${encodeURIComponent(domain)}${query}`;
}

/** One number as people write it. Linear: one class of characters. */
const PHONE = /^\(?\+?[\d ()./\u00a0\u2010-\u2013-]+$/;
/** Staff write one number after the other like this. */
const SEVERAL = /\/ *[0+]/;
/** A zero that callers from abroad leave out. */
const INNER_ZERO = /^(\(?(?:\+|00)[^(]*)\(0\)/;
/** The longest number of E.164 has 15 digits. */
const CALL = /^\+?\d{3,15}$/;

/** Undefined for a text that is not exactly one number. */
export function phoneLink(phone = ""): string | undefined {
  const text = phone.trim();
  if (!PHONE.test(text) || SEVERAL.test(text)) return undefined;
  const number = text.replace(INNER_ZERO, "$1").replaceAll(/[^\d+]/g, "");
  return CALL.test(number) ? `tel:${number}` : undefined;
}

export function mapLink({ location }: Shelter): string | undefined {
  if (location === undefined) return undefined;
  const { latitude, longitude } = location;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
}

/** The one button of an animal: apply, else write, else call, else visit. Undefined if the shelter has none of them. */
export function nextStep(
  { name, id }: Animal,
  { adoptUrl, email, phone, website }: Shelter,
  texts: Texts,
  address: string,
): { href: string; text: string } | undefined {
  const shown = plain(name);
  const letter = { subject: texts.subject(shown, id), body: address };
  const steps = [
    { href: webLink(adoptUrl), text: texts.apply(shown) },
    { href: mailLink(email, letter), text: texts.write(shown) },
    { href: phoneLink(phone), text: texts.call(shown) },
    { href: webLink(website), text: texts.visit },
  ];
  return steps.find((step): step is { href: string; text: string } => step.href !== undefined);
}
