// Writes the files of aggregators for the service: in short steps, so that other requests are answered in between.

import { setTimeout as pause } from "node:timers/promises";
import type { AggregatorFileWriter } from "../../domain/animals/aggregator.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { Database } from "../../storage/database.ts";
import { createFileText, FORMATS, findReasons } from "./aggregator-file.ts";
import type { AggregatorFormat } from "./aggregator-format.ts";
import { readPages } from "./pages.ts";

/** Reading a page from SQLite blocks the service. Requests that were waiting are answered in the pause. */
const PAGE_ROWS = 50;
const SQLITE_GAP_MS = 2;
/** Animals that a refusal names. */
const NAMED_MAX = 10;

export function createAggregatorFileWriter(db: Database): AggregatorFileWriter {
  return ({ aggregator, shelterId, skip, signal, write, ...view }) =>
    db.snapshot(async (queries) => {
      const format = FORMATS[aggregator];
      const { statuses } = format;
      const { head, row } = createFileText(format, view);

      async function* readSlowly() {
        for await (const page of readPages(queries, { statuses, shelterId }, PAGE_ROWS)) {
          signal.throwIfAborted();
          yield page.map((listing) => ({ listing, reasons: findReasons(listing, format) }));
          if (db.engine === "sqlite") await pause(SQLITE_GAP_MS);
        }
      }

      if (!skip) {
        const named: string[] = [];
        let bad = 0;
        for await (const page of readSlowly())
          for (const { listing, reasons } of page) {
            if (reasons.length === 0) continue;
            bad += 1;
            if (bad <= NAMED_MAX) named.push(`${listing.id} (${reasons.join(", ")})`);
          }
        if (bad > 0) throw refusal(format, bad, named);
      }
      if (head !== "") await write(head);
      for await (const page of readSlowly()) {
        const good = page.filter(({ reasons }) => reasons.length === 0);
        await write(good.map(({ listing }) => row(listing)).join(""));
      }
    });
}

function refusal({ title }: AggregatorFormat, bad: number, named: string[]): ServiceError {
  const more = bad > named.length ? ` and ${bad - named.length} more` : "";
  return new ServiceError("file_has_bad_rows", {
    message: `The file for ${title} cannot express ${bad === 1 ? "1 animal" : `${bad} animals`}: ${named.join(", ")}${more}. Complete their profiles, or leave them out with skip=true: the site then deletes them.`,
  });
}
