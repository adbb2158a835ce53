// Saves the animals of the current list as a CSV file for spreadsheets, with the columns of the command "export".

import type { Listing } from "../../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../../src/domain/basics/list-limits.ts";
import { createCsvText } from "../../../../src/transfer/formats/csv-text.ts";
import { type AnimalsQuery, listingsQuery } from "../../shared/state/animals-query.ts";
import { withProgress } from "../../shared/state/bulk.ts";
import { saveFile } from "../../shared/state/save-file.ts";
import { ask } from "../../shared/state/session.ts";
import { language } from "../../shared/texts/language.ts";

/** `total` is undefined where the service does not know it. Resolves to the number of animals; undefined if it was stopped. */
export type ExportAnimals = (query: AnimalsQuery, total: number | undefined) => Promise<number | undefined>;

export const exportAnimals: ExportAnimals = async (query, total) => {
  const listings: Listing[] = [];
  return withProgress(total, async (signal, show) => {
    try {
      await ask(async (client) => {
        const pages = client
          .listListings({ ...listingsQuery(query), limit: PAGE_LIMIT_MAX }, { signal })
          .pages();
        for await (const { items } of pages) {
          listings.push(...items);
          show(listings.length);
        }
      });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
    const day = new Date().toISOString().slice(0, 10);
    saveFile(new Blob(writeCsv(listings), { type: "text/csv" }), `animals-${day}.csv`);
    return listings.length;
  });
};

function writeCsv(listings: Listing[]): string[] {
  const names = new Set(listings.flatMap(({ profile }) => Object.keys(profile.custom ?? {})));
  const { head, row } = createCsvText({
    excel: true,
    // Where the decimal separator is a comma, spreadsheets expect semicolons.
    delimiter: language.value === "de" ? ";" : ",",
    customNames: [...names].sort(),
  });
  return [head, ...listings.map((listing) => row(listing as Parameters<typeof row>[0], photosOf(listing)))];
}

/** The largest file of each photo: members whose names are integers are in ascending order. */
function photosOf({ photos }: Listing): string[] {
  return photos.map(({ urls }) => Object.values(urls).at(-1) ?? "");
}
