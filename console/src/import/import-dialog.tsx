// Imports animals from a CSV file: shows what it would do and what is wrong by line, then does it, with a summary.

import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { externalIdOf } from "../../../src/domain/animals/profile.ts";
import { BulkProgress } from "../shared/parts/bulk-progress.tsx";
import { Countdown } from "../shared/parts/countdown.tsx";
import { CloseFooter, Dialog } from "../shared/parts/dialog.tsx";
import { type Outcome, runAll, withProgress } from "../shared/state/bulk.ts";
import { forgetCategories, readCategories } from "../shared/state/category-names.ts";
import { explain } from "../shared/state/failures.ts";
import { formatCount } from "../shared/state/format.ts";
import { t } from "../shared/texts/language.ts";
import { decodeText, OpenQuoteError } from "./csv.ts";
import { type Addition, type Plan, planImport, type Update } from "./import-plan.ts";
import { ImportPlan, LineTable } from "./import-plan-view.tsx";
import { readRows } from "./import-rows.ts";
import { loadRules } from "./import-rules.ts";
import { carryOut, createCategories } from "./import-run.ts";
import { readKnown } from "./read-known.ts";

/** A larger file is a task for the command, which needs no request per animal. */
const BYTES_MAX = 20_000_000;
const ROWS_MAX = 10_000;

type Step = Addition | Update;

type Stage =
  | { name: "choosing"; failure?: string }
  | { name: "checking" }
  | { name: "checked"; file: File; plan: Plan }
  | { name: "running" }
  | { name: "done"; outcome: Outcome<Step, void> };

interface ImportDialogProps {
  /** Undefined if the user chooses it in the dialog. */
  file: File | undefined;
  onImported: () => Promise<void>;
  onClose: () => void;
}

export function ImportDialog({ file, onImported, onClose }: ImportDialogProps) {
  const texts = t().import;
  const stage = useSignal<Stage>({ name: "choosing" });
  const [closing] = useState(() => new AbortController());

  useEffect(() => {
    if (file !== undefined) void check(file);
    return () => closing.abort();
  }, []);

  async function check(chosen: File): Promise<void> {
    stage.value = { name: "checking" };
    try {
      stage.value = { name: "checked", file: chosen, plan: await planFile(chosen, closing.signal) };
    } catch (error) {
      const isStopped = error instanceof DOMException && error.name === "AbortError";
      stage.value = { name: "choosing", ...(!isStopped && { failure: explainFile(error) }) };
    }
  }

  async function run(plan: Plan): Promise<void> {
    stage.value = { name: "running" };
    try {
      const created = await createCategories(plan, closing.signal);
      const work = (step: Step, signal: AbortSignal) => carryOut(step, created, signal);
      stage.value = { name: "done", outcome: await runAll(plan.steps, work, closing.signal) };
    } catch (error) {
      stage.value = { name: "choosing", failure: explain(error) };
    }
    forgetCategories();
    await onImported();
  }

  return (
    <Dialog title={texts.title} isWide onClose={onClose}>
      {showStage()}
    </Dialog>
  );

  function showStage() {
    const now = stage.value;
    if (now.name === "checking" || now.name === "running")
      return (
        <div role="status">
          <p>{now.name === "checking" ? texts.checking : texts.running}</p>
          <Countdown />
          <BulkProgress />
        </div>
      );
    if (now.name === "checked")
      return (
        <ImportPlan
          fileName={now.file.name}
          plan={now.plan}
          onRun={(plan) => void run(plan)}
          onBack={() => (stage.value = { name: "choosing" })}
        />
      );
    if (now.name === "done") return <Summary outcome={now.outcome} onClose={onClose} />;
    return <Choose failure={now.failure} onFile={(chosen) => void check(chosen)} />;
  }
}

/** Throws what `explainFile` explains. */
async function planFile(file: File, ended: AbortSignal): Promise<Plan> {
  if (file.size > BYTES_MAX) throw new Error(t().import.tooMany(formatCount(ROWS_MAX)));
  const check = await loadRules(ended);
  const rows = readRows(decodeText(new Uint8Array(await file.arrayBuffer())), check);
  if (rows.length > ROWS_MAX) throw new Error(t().import.tooMany(formatCount(ROWS_MAX)));
  const ids = new Set(rows.flatMap((row) => ("pet" in row ? (externalIdOf(row.pet) ?? []) : [])));
  const [{ items: categories }, known] = await Promise.all([
    readCategories({ signal: ended }),
    withProgress(undefined, (signal, show) => readKnown(ids, signal, show), ended),
  ]);
  return planImport(rows, { categories, known });
}

function explainFile(error: unknown): string {
  return error instanceof OpenQuoteError ? t().import.openQuote(error.line) : explain(error);
}

function Choose({ failure, onFile }: { failure: string | undefined; onFile: (file: File) => void }) {
  const texts = t().import;
  return (
    <>
      <p>{texts.intro}</p>
      <p class="quiet">{texts.columns}</p>
      {failure !== undefined && (
        <p role="alert" class="failure">
          {failure}
        </p>
      )}
      <label class="choose-file">
        <span>{texts.choose}</span>
        <input
          type="file"
          accept=".csv,.txt,text/csv"
          onChange={({ currentTarget: { files } }) => files?.[0] && onFile(files[0])}
          onDragOver={(event) => event.preventDefault()}
        />
      </label>
    </>
  );
}

function Summary({ outcome, onClose }: { outcome: Outcome<Step, void>; onClose: () => void }) {
  const texts = t().import;
  const { done, failed, left } = outcome;
  const count = (kind: Step["kind"]) => formatCount(done.filter(({ item }) => item.kind === kind).length);
  return (
    <>
      <p role="status">
        <strong>{texts.finished(count("add"), count("update"))}</strong>
      </p>
      {left.length > 0 && <p>{texts.left(formatCount(left.length))}</p>}
      {failed.length > 0 && (
        <LineTable
          label={texts.failed(formatCount(failed.length))}
          rows={failed.map(({ item, error }) => ({ line: item.line, problem: explain(error) }))}
        />
      )}
      <CloseFooter onClose={onClose} />
    </>
  );
}
