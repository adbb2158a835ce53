// Reads a printed kennel card: its text from the PDF file, and the places of its parts.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type PrintedPage, readPdf } from "./pdf.ts";

export const FORMATS = ["A4", "A5", "Letter"] as const;
type Format = (typeof FORMATS)[number];
/** Pages without their margins, in pixels of CSS. */
export const AREAS: Record<Format, { width: number; height: number }> = {
  A4: { width: 703, height: 1032 },
  A5: { width: 469, height: 703 },
  Letter: { width: 725, height: 965 },
};
const MARGIN_PT = (12 / 25.4) * 72;
const TYPE_MIN_PT = 8;

export async function printCard(page: Page, format: Format): Promise<PrintedPage[]> {
  return readPdf(await page.pdf({ format }));
}

/** Without white space. */
export function textOf(pages: PrintedPage[]): string {
  return plain(pages.flatMap(({ texts }) => texts.map(({ text }) => text)).join(""));
}

/** Lines can end anywhere, and a ligature is one character. */
function plain(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, "");
}

/** The pages contain all these texts, and no text of theirs is in the margins or too small. */
export function assertPrinted(pages: PrintedPage[], expected: string[], where: string): void {
  const printed = textOf(pages);
  const missing = expected.filter((text) => !printed.includes(plain(text)));
  assert.deepEqual(missing, [], where);
  for (const { height, texts } of pages)
    for (const { text, y, size } of texts) {
      const [top, bottom] = [y - 0.7 * size, y + 0.25 * size];
      assert.ok(top >= MARGIN_PT - 1 && bottom <= height - MARGIN_PT + 1, `${text} at ${y} pt, ${where}`);
      assert.ok(size > TYPE_MIN_PT - 0.05, `${text} has ${size} pt, ${where}`);
    }
}

interface Place {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Layout {
  photo: Place | undefined;
  facts: Place;
  description: Place;
  /** Elements that hide some of their contents, or are wider than the page. */
  cut: string[];
  /** The largest part of red, green or blue in the colour of a text. */
  lightest: number;
  /** The colour of the background. */
  ground: string;
}

const READ_LAYOUT = `(() => {
  const card = document.querySelector(".kennel-card");
  const place = (selector) => {
    const box = card.querySelector(selector)?.getBoundingClientRect();
    return box && { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
  };
  const cut = [card, ...card.querySelectorAll("*")].filter((element) => {
    const { overflow, maxHeight } = getComputedStyle(element);
    const isClipped = element.tagName !== "IMG" && overflow !== "visible";
    return isClipped || maxHeight !== "none" || element.scrollWidth > innerWidth;
  });
  const colours = [...card.querySelectorAll("*")].map((element) => getComputedStyle(element).color);
  return {
    photo: place("img"),
    facts: place(".facts"),
    description: place(".description"),
    cut: cut.map((element) => element.outerHTML),
    lightest: Math.max(...colours.flatMap((colour) => colour.match(/\\d+/g).map(Number))),
    ground: getComputedStyle(document.body).backgroundColor,
  };
})()`;

/** The layout of the whole card on one page of this width. */
export async function readLayout(page: Page, format: Format): Promise<Layout> {
  await page.setViewportSize(AREAS[format]);
  await page.emulateMedia({ media: "print" });
  const layout = (await page.evaluate(READ_LAYOUT)) as Layout;
  await page.emulateMedia({ media: null });
  return layout;
}
