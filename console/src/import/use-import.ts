// The steps of an import: a file is chosen, checked by a dry run, and imported.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { ConflictError, type ImportReport, type ImportSettings } from "../../../client/src/client.ts";
import { withProgress } from "../shared/state/bulk.ts";
import { forgetCategories } from "../shared/state/category-names.ts";
import { explain } from "../shared/state/failures.ts";
import { formatCount } from "../shared/state/format.ts";
import { watchChanges } from "../shared/state/leaving.ts";
import { notify } from "../shared/state/notices.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { later } from "../shared/texts/pages.ts";
import { readImportFile } from "./import-file.ts";
import { checkFile, importFile } from "./send-import.ts";
import { translate } from "./service-words.ts";
import { type Reading, readingOf, toSettings } from "./settings.ts";

/** The share of the file that was sent is shown as a percentage. */
const WHOLE = 100;

interface Checked {
  name: "checked";
  file: File;
  report: ImportReport;
  /** As in the report, until the user changes it. */
  reading: Reading;
  /** Why the last check with another reading has failed. */
  failure?: string;
}

export type Step =
  | { name: "choosing"; failure?: string }
  | { name: "checking" }
  | Checked
  | { name: "importing" }
  | { name: "interrupted"; reason: string; resume: () => Promise<void> }
  | { name: "done"; file: File; report: ImportReport };

type StepBefore = Extract<Step, { failure?: string }>;

export interface Importing {
  step: Signal<Step>;
  choose: (file: File) => Promise<void>;
  /** Checks the file with another reading. */
  checkAgain: (checked: Checked) => Promise<void>;
  /** Imports a file that was checked. `rows` is the number of its rows. */
  run: (file: File, settings: ImportSettings, rows: number) => Promise<void>;
}

export function useImport(): Importing {
  const step = useSignal<Step>({ name: "choosing" });
  const done = useRef(0);
  const [leaving] = useState(() => new AbortController());
  useEffect(() => {
    const ignore = watchChanges(() => step.peek().name === "importing", { question: later().import.leave });
    return () => {
      ignore();
      leaving.abort();
      if (step.peek().name === "importing")
        notify(later().import.stopped(formatCount(done.current)), { isFailure: true });
    };
  }, []);

  async function choose(file: File): Promise<void> {
    step.value = { name: "checking" };
    try {
      // People who come from another program have no categories yet.
      const settings = { createCategories: isAllowed("putCategory") };
      await check(await readImportFile(file), settings, { name: "choosing" });
    } catch (error) {
      step.value = { name: "choosing", failure: explain(error) };
    }
  }

  async function check(file: File, settings: ImportSettings, before: StepBefore): Promise<void> {
    step.value = { name: "checking" };
    const run = (signal: AbortSignal, show: (percent: number) => void) =>
      findStep({ file, settings, before }, signal, show);
    step.value = await withProgress(WHOLE, run, leaving.signal);
  }

  function run(file: File, settings: ImportSettings, rows: number): Promise<void> {
    done.current = 0;
    return resume(file, settings, rows);
  }

  async function resume(file: File, settings: ImportSettings, rows: number): Promise<void> {
    step.value = { name: "importing" };
    await withProgress(
      rows,
      async (signal, show) => {
        const onProgress = (count: number) => {
          done.current = count;
          show(count);
        };
        try {
          const report = await importFile(file, settings, { signal, onProgress });
          step.value = { name: "done", file, report };
        } catch (error) {
          // The store was changed after the check, so that a row has become bad.
          if (error instanceof ConflictError) return check(file, settings, { name: "choosing" });
          const stopped = later().import.stopped(formatCount(done.current));
          const reason = signal.aborted ? stopped : `${explain(error)} ${stopped}`;
          step.value = { name: "interrupted", reason, resume: () => resume(file, settings, rows) };
        }
      },
      leaving.signal,
    );
    // The import may have added some.
    forgetCategories();
  }

  const checkAgain = (checked: Checked) => {
    const { file, report, reading } = checked;
    return check(file, toSettings(report.columns, reading), checked);
  };
  return { step, choose, checkAgain, run };
}

interface Check {
  file: File;
  settings: ImportSettings;
  before: StepBefore;
}

/** Checks the file. A check that fails or is stopped leads back to `before`. */
async function findStep(
  { file, settings, before }: Check,
  signal: AbortSignal,
  show: (percent: number) => void,
): Promise<Step> {
  const onProgress = (share: number) => show(Math.floor(share * WHOLE));
  try {
    const report = await checkFile(file, settings, { signal, onProgress });
    return { name: "checked", file, report, reading: readingOf(report) };
  } catch (error) {
    return signal.aborted ? before : { ...before, failure: translate(explain(error)) };
  }
}
