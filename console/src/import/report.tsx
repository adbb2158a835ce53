// The parts of a report: how many animals it concerns, the problems, and the first animals as they would be.

import { useSignal } from "@preact/signals";
import type { ImportReport, Listing } from "../../../client/src/client.ts";
import { factsOf } from "../animals/profile/facts.ts";
import { Button } from "../shared/parts/button.tsx";
import { FactList } from "../shared/parts/fact-list.tsx";
import { LongText } from "../shared/parts/long-text.tsx";
import { Table } from "../shared/parts/table.tsx";
import { formatCount } from "../shared/state/format.ts";
import { saveFile } from "../shared/state/save-file.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { writeBadRows } from "./bad-rows.ts";
import { hasColumns } from "./import-file.ts";
import { translate } from "./service-words.ts";

/** More problems are shown on demand: the columns below often explain them. */
const SHOWN_FIRST = 5;
const COUNTS = ["added", "updated", "unchanged", "bad"] as const;

export function Counts({ report }: { report: ImportReport }) {
  return (
    <dl class="import-counts">
      {COUNTS.map((count) => (
        <div key={count} class={count === "bad" && report.bad > 0 ? "failure" : undefined}>
          <dt>{later().import.counts[count]}</dt>
          <dd>{formatCount(report[count])}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Problems({ file, report }: { file: File; report: ImportReport }) {
  const texts = later().import;
  const { problems, bad, isDryRun } = report;
  const isWhole = useSignal(problems.length <= SHOWN_FIRST);
  if (problems.length === 0) return null;
  // A report has the first 100 problems.
  const listed = new Set(problems.map(({ line }) => line)).size;
  const shown = [formatCount(listed), formatCount(bad)] as const;
  return (
    <section aria-labelledby="problems">
      <h3 id="problems">{texts.problems}</h3>
      <p>
        {isDryRun ? texts.problemsHint : texts.skippedHint}{" "}
        {bad > listed && (isDryRun ? texts.onlyFirst : texts.onlyFirstSkipped)(...shown)}
      </p>
      <Table label={texts.problems} headings={[texts.line, texts.heading, texts.value, texts.problem]}>
        {problems
          .slice(0, isWhole.value ? undefined : SHOWN_FIRST)
          .map(({ line, heading, value, message }) => (
            <tr key={`${line} ${heading} ${message}`}>
              <th scope="row">{texts.lineNumbered(line)}</th>
              <td data-label={texts.heading}>
                <bdi>{heading}</bdi>
              </td>
              <td data-label={texts.value}>
                <LongText text={value ?? ""} />
              </td>
              <td data-label={texts.problem} class="whole">
                {translate(message)}
              </td>
            </tr>
          ))}
      </Table>
      <div class="buttons">
        {!isWhole.value && (
          <Button
            label={texts.showProblems(formatCount(problems.length))}
            onClick={() => (isWhole.value = true)}
          />
        )}
        {hasColumns(file) && (
          <Button
            label={bad > listed ? texts.downloadFirst(...shown) : texts.download}
            onClick={() => void writeBadRows(file, report).then((rows) => saveFile(rows, texts.badRowsFile))}
          />
        )}
      </div>
    </section>
  );
}

export function Preview({ listings }: { listings: Listing[] }) {
  if (listings.length === 0) return null;
  return (
    <section aria-labelledby="preview">
      <h3 id="preview">{later().import.preview}</h3>
      <div class="cards">
        {listings.map((listing, index) => (
          <article key={index}>
            <h4>
              <bdi>{listing.name}</bdi>{" "}
              <span class={`status ${listing.status}`}>{t().petStatus[listing.status]}</span>
            </h4>
            <FactList facts={factsOf(listing)} />
            {listing.profile.description !== undefined && (
              <p>
                <LongText text={listing.profile.description} />
              </p>
            )}
          </article>
        ))}
      </div>
    </section>
  );
}
