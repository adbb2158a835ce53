// The result of a check: what the import would do, how the file was read, and the button that checks again or imports.

import { useEffect } from "preact/hooks";
import { Button } from "../shared/parts/button.tsx";
import { ensureCategories } from "../shared/state/category-names.ts";
import { formatCount } from "../shared/state/format.ts";
import { later } from "../shared/texts/pages.ts";
import { Counts, Preview, Problems } from "./report.tsx";
import { Columns, ReadingFields } from "./setting-fields.tsx";
import { isChanged, type Reading } from "./settings.ts";
import type { Importing, Step } from "./use-import.ts";

interface CheckedProps extends Importing {
  checked: Extract<Step, { name: "checked" }>;
}

export function CheckedFile({ checked, step, checkAgain, run }: CheckedProps) {
  const texts = later().import;
  const { file, report, reading, failure } = checked;
  const { bad } = report;
  const change = (changes: Partial<Reading>) => {
    step.value = { ...checked, reading: { ...reading, ...changes } };
  };

  useEffect(() => {
    // Without the names, no category can be chosen, and everything else works.
    ensureCategories().catch(() => {});
  }, []);

  return (
    <>
      <h2 tabIndex={-1}>{texts.result}</h2>
      <p role="status">
        {texts.nothingYet(file.name)} {countOf(report) === 0 && (bad > 0 ? texts.allBad : texts.allKnown)}
      </p>
      <p role="alert" class="failure">
        {failure}
      </p>
      <p>
        <Button label={texts.otherFile} onClick={() => (step.value = { name: "choosing" })} />
      </p>
      <Counts report={report} />
      <Problems file={file} report={report} />
      <Columns
        columns={report.columns}
        members={reading.members}
        onChange={(members) => change({ members })}
      />
      <ReadingFields
        settings={reading.settings}
        problems={report.problems}
        onChange={(changes) => change({ settings: { ...reading.settings, ...changes } })}
      />
      <Preview listings={report.preview} />
      <Actions checked={checked} checkAgain={checkAgain} run={run} />
    </>
  );
}

/** Checks again after a change of the settings; otherwise imports. */
function Actions({ checked, checkAgain, run }: Pick<CheckedProps, "checked" | "checkAgain" | "run">) {
  const texts = later().import;
  const { file, report, reading } = checked;
  const { settings, rows, bad } = report;
  const count = countOf(report);
  return (
    <footer class="import-actions">
      {isChanged(report, reading) ? (
        <Button
          key="check"
          kind="primary"
          label={texts.checkAgain}
          onClick={() => void checkAgain(checked)}
        />
      ) : (
        <Button
          key="run"
          kind="primary"
          label={(bad > 0 ? texts.runGood : texts.run)(formatCount(count))}
          isOff={count === 0}
          onClick={() => void run(file, { ...settings, skipBad: bad > 0 }, rows)}
        />
      )}
    </footer>
  );
}

/** Rows that change the store. */
function countOf({ added, updated }: CheckedProps["checked"]["report"]): number {
  return added + updated;
}
