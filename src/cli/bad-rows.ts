// The file of `import --bad-rows`: the bad rows as CSV, with the reasons in the first column.

import { existsSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { writeAtomically } from "../files/atomic-file.ts";
import { explainingWrites } from "../files/write-errors.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { guardFormula, writeLine } from "../transfer/formats/csv-text.ts";
import type { OnBadRow } from "../transfer/import/check-file.ts";
import { writeField } from "../transfer/import/field-text.ts";
import type { ImportResult } from "../transfer/import/importer.ts";
import type { SourceFile } from "../transfer/import/source-file.ts";
import { refuseTarget } from "../transfer/target.ts";

/** Runs the import, and writes its bad rows if there is a path. With `excel`, as "export --excel" writes files. */
export async function withBadRows(
  path: string | undefined,
  { excel, config }: { excel: boolean; config: Config },
  run: (onBadRow: OnBadRow | undefined) => Promise<ImportResult>,
): Promise<ImportResult> {
  if (path === undefined) return run(undefined);
  const place = resolve(path);
  if (existsSync(place))
    throw new OperatorError(`${place} exists already. Choose another name for --bad-rows.`);
  refuseTarget(config, place, true);
  return explainingWrites(place, () =>
    writeAtomically(place, async ({ fd }) => {
      const guard = excel ? guardFormula : (text: string) => text;
      let isBegun = false;
      function write(source: SourceFile, cells: string[]): void {
        if (!isBegun) {
          isBegun = true;
          writeSync(fd, excel ? "\uFEFF" : "");
          write(source, ["problem", ...source.headings()]);
        }
        if (cells.length > 0)
          writeSync(fd, writeLine(cells.map(guard), { delimiter: source.delimiter(), isCrlf: excel }));
      }
      const result = await run(({ line, fields, problems }, source) => {
        const reasons = problems.map(({ heading, message }) =>
          heading === undefined ? message : `${heading}: ${message}`,
        );
        // A row may have more cells than there are headings.
        const length = Math.max(source.headings().length, fields.length);
        const values = Array.from({ length }, (_, index) => writeField(fields[index]));
        write(source, [`line ${line}: ${reasons.join("; ")}`, ...values]);
      });
      write(result.file.source, []);
      return result;
    }),
  );
}
