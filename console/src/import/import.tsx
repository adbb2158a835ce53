// The page that imports animals from a file: shows what the file would do, and how it was read, before anything is changed.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { BulkProgress } from "../shared/parts/bulk-progress.tsx";
import { Button } from "../shared/parts/button.tsx";
import { takeDropped, useFileDrop } from "../shared/parts/file-drop.ts";
import { PageHead } from "../shared/parts/head.tsx";
import { formatCount } from "../shared/state/format.ts";
import { hrefOf } from "../shared/state/place.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { CheckedFile } from "./checked.tsx";
import { Counts, Problems } from "./report.tsx";
import { type Importing, type Step, useImport } from "./use-import.ts";

const ACCEPTED = ".csv,.tsv,.tab,.txt,.ndjson,.jsonl,text/csv,text/tab-separated-values,application/x-ndjson";

export function Import() {
  const importing = useImport();
  const { step, choose } = importing;
  const { name } = step.value;
  const texts = later().import;
  const isDragging = useFileDrop(name !== "checking" && name !== "importing", (file) => void choose(file));
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(name);

  useEffect(() => {
    const dropped = takeDropped();
    if (dropped !== undefined) void choose(dropped);
  }, []);
  // The button that was pressed is gone. At the top, the footer stays below the screen while a step becomes longer.
  useLayoutEffect(() => {
    if (shown.current !== name) {
      content.current?.querySelector<HTMLElement>("h2")?.focus();
      scrollTo({ top: 0, behavior: "instant" });
    }
    shown.current = name;
  }, [name]);

  return (
    <>
      <PageHead place="animals" back={later().animal.allAnimals} name={texts.title} />
      <div class="import" key={name} ref={content}>
        <StepView {...importing} />
      </div>
      {isDragging.value && <div class="drop-here">{t().animalFiles.dropHere}</div>}
    </>
  );
}

function StepView(importing: Importing) {
  const step = importing.step.value;
  switch (step.name) {
    case "choosing":
      return <Choose failure={step.failure} onFile={(file) => void importing.choose(file)} />;
    case "checking":
      return <Working title={later().import.checking} describe={describeSent} />;
    case "checked":
      return <CheckedFile {...importing} checked={step} />;
    case "importing":
      return <Working title={later().import.importing} />;
    case "interrupted":
      return <Interrupted {...step} />;
    case "done":
      return <Done {...step} />;
  }
}

function Choose({ failure, onFile }: { failure: string | undefined; onFile: (file: File) => void }) {
  const texts = later().import;
  return (
    <>
      <h2 tabIndex={-1}>{texts.chooseTitle}</h2>
      <p>{texts.intro}</p>
      <p role="alert" class="failure">
        {failure}
      </p>
      <label class="choose-file">
        <span>{texts.choose}</span>
        <input
          type="file"
          accept={ACCEPTED}
          onChange={({ currentTarget: { files } }) => files?.[0] && onFile(files[0])}
        />
      </label>
    </>
  );
}

interface WorkingProps {
  title: string;
  describe?: (done: number) => string;
}

function Working({ title, describe }: WorkingProps) {
  return (
    <>
      <h2 tabIndex={-1}>{title}</h2>
      <BulkProgress {...(describe && { describe })} />
    </>
  );
}

function describeSent(percent: number): string {
  return percent < 100 ? later().import.sent(percent) : later().import.allSent;
}

function Interrupted({ reason, resume }: Extract<Step, { name: "interrupted" }>) {
  const texts = later().import;
  return (
    <>
      <h2 tabIndex={-1}>{texts.interrupted}</h2>
      <p role="alert">{reason}</p>
      <Button kind="primary" label={texts.resume} onClick={() => void resume()} />
    </>
  );
}

function Done({ file, report }: Extract<Step, { name: "done" }>) {
  const texts = later().import;
  return (
    <>
      <h2 tabIndex={-1}>{texts.done}</h2>
      <p role="status">{texts.imported(formatCount(report.added + report.updated))}</p>
      <Counts report={report} />
      <p>
        <a href={hrefOf("animals")}>{texts.showAnimals}</a>
      </p>
      <Problems file={file} report={report} />
    </>
  );
}
