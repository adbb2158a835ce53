// Checks the look of an open page: at several widths, in light and dark, nothing overflows and axe finds nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { keepScreenshot, untilShown } from "./console.ts";

export const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
/** A context whose pages are touched. */
export const PHONE = { viewport: SIZES.phone, hasTouch: true, isMobile: true };
const TABLET = { width: 820, height: 1180 };

/** Loads axe. The minified code takes a third less CPU time to load. */
export const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Adds up the shifts that no input has caused. */
export const COUNT_SHIFTS = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
`;

const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
  Object.entries(SIZES).map(([device, viewport]) => ({ colorScheme, device, viewport })),
);

/** Checks the open view in one look after the other. Only CSS depends on the look, so the page needs no reload. */
export async function checkLooks(t: TestContext, page: Page, view: string): Promise<void> {
  await t.test(`${view} fits and is accessible at both widths, in light and dark`, async () => {
    for (const { colorScheme, device, viewport } of LOOKS) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await keepScreenshot(page, `console-${view}-${device}-${colorScheme}`.toLowerCase());
      await assertFits(page, view);
      // Each width and each colour scheme once: no axe rule depends on both together.
      if ((device === "desktop") === (colorScheme === "light")) await assertAccessible(page, view);
    }
    await page.setViewportSize(TABLET);
    await assertFits(page, view);
  });
}

/** Loads the page at both sizes, with COUNT_SHIFTS: nothing moves or overflows, and axe finds nothing. `last` is shown at the end. */
export async function checkSizes(page: Page, last: Locator): Promise<void> {
  for (const size of [SIZES.desktop, SIZES.phone]) {
    await page.setViewportSize(size);
    await page.reload();
    await checkLoaded(page, last);
  }
  // Both sizes after one load: loading axe takes as long as its run.
  await assertAccessible(page, `${page.url()} on a phone`);
  await page.setViewportSize(SIZES.desktop);
  await assertAccessible(page, page.url());
}

async function checkLoaded(page: Page, last: Locator): Promise<void> {
  await last.waitFor();
  const found = await page.evaluate("[window.shift, document.documentElement.scrollWidth - innerWidth]");
  assert.deepEqual(found, [0, 0], page.url());
  const [, at = ""] = page.url().split("#");
  await keepScreenshot(page, `console-${at.replaceAll(/\W/g, "-")}-${page.viewportSize()?.width}`);
}

/** On a phone, in CSS pixels. */
const ROW_PX = { min: 44, max: 88 };

/** Rows of a phone that are too high or too low or of another height than the others, and points of them that are not their one target. */
export const findRowFaults = (page: Page, selector = "tbody tr") =>
  page.locator(selector).evaluateAll((all, { min, max }) => {
    const [first] = all.map((row) => row.getBoundingClientRect().height);
    return all.flatMap((row) => {
      row.scrollIntoView({ block: "center" });
      const { left, right, top, bottom, height } = row.getBoundingClientRect();
      const [target, ...others] = row.querySelectorAll("a, button, input, select");
      // An invitation that has ended leads nowhere.
      const missed = [left + 2, (left + right) / 2, right - 2]
        .flatMap((x) => [top + 2, (top + bottom) / 2, bottom - 3].map((y) => ({ x, y })))
        .filter(({ x, y }) => target !== undefined && document.elementFromPoint(x, y) !== target);
      const words = document.createRange();
      words.selectNodeContents(row);
      const inner = words.getBoundingClientRect();
      // In the middle: no word touches the line between two rows.
      const isCentred = Math.abs(inner.top - top - (bottom - inner.bottom)) < 4 && inner.top - top > 4;
      const isRight = height >= min && height <= max && height === first && isCentred;
      return !isRight || missed.length > 0 || others.length > 0
        ? [{ text: row.textContent, height, missed, others: others.length }]
        : [];
    });
  }, ROW_PX);

/**
 * A long name must not push anything out of the page or of its dialog, nor take the width of other columns. The console
 * draws another list some frames after a change of the width.
 */
export async function assertFits(page: Page, view: string): Promise<void> {
  const fits = { buttons: [], page: false, dialog: false, names: false, headings: [], titles: [] };
  await untilShown(async () => ({ view, ...(await findMisfits(page)) }), { view, ...fits });
}

const findMisfits = (page: Page) =>
  page.evaluate(() => {
    const isWider = (element: Element) => element.scrollWidth > element.clientWidth;
    const { documentElement: root } = document;
    const [names] = document.querySelectorAll("main table:not(.plain) tbody th");
    const broken = (selector: string, heightMax: number) =>
      [...document.querySelectorAll(selector)].filter((each) => each.clientHeight > heightMax);
    /** Its words reach over its edge, or over the edge of what holds it. */
    const isCut = (button: Element) => {
      const holder = button.closest("td, section, fieldset, dialog, .menu, main, header, body") as Element;
      const [own, held] = [button.getBoundingClientRect(), holder.getBoundingClientRect()];
      const isScrolled = getComputedStyle(holder).overflowX !== "visible";
      const right = own.right - Number.parseFloat(getComputedStyle(button).paddingRight);
      return own.width > 0 && (isWider(button) || (!isScrolled && right > held.right + 1));
    };
    return {
      // Those with words: photos are in a strip that scrolls.
      buttons: [...document.querySelectorAll("button:not(.visually-hidden), a.button")]
        .filter((button) => /\p{L}{2}/u.test(button.textContent) && isCut(button))
        .map(({ textContent }) => textContent),
      page: isWider(root),
      dialog: [...document.querySelectorAll("dialog")].some(isWider),
      names: names !== undefined && names.clientWidth < 60,
      // On one line: the headings of cards are only read out.
      headings:
        root.clientWidth < 1216
          ? []
          : broken("main table:not(.plain) thead th", 48).map(({ textContent }) => textContent),
      titles: [...broken("dialog h2", 120), ...broken(".profile h2", 40)].map(
        ({ textContent }) => textContent,
      ),
    };
  });

export async function assertAccessible(page: Page, name: string): Promise<void> {
  // Evaluated by the debugger, which the content security policy does not stop.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
  const found = (await page.evaluate("axe.run(document, { reporter: 'no-passes' })")) as {
    violations: Violation[];
  };
  const violations = found.violations.map(({ id, impact, nodes }) => ({
    name,
    id,
    impact,
    where: nodes.map(({ html }) => html),
  }));
  assert.deepEqual(violations, []);
}

interface Violation {
  id: string;
  impact: string;
  nodes: Array<{ html: string }>;
}
