// The page of an import in the console, as tests use it.

import type { Page } from "playwright-core";
import { untilShown } from "./console.ts";

export const fileInput = (page: Page) => page.getByLabel("File with animals");
export const column = (page: Page, heading: string) => page.getByLabel(`Column ${heading} contains`);
const counts = (page: Page) => page.locator(".import-counts dd").allInnerTexts();
export const showsCounts = (page: Page, ...wanted: number[]) =>
  untilShown(() => counts(page), wanted.map(String));

export async function choose(page: Page, content: Buffer | string, name = "animals.csv"): Promise<void> {
  await fileInput(page).setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) });
}
