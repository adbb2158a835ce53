// Import and export of the list: two buttons, and the whole page as a place to drop a file on.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../shared/parts/button.tsx";
import type { AnimalsQuery } from "../../shared/state/animals-query.ts";
import { explain } from "../../shared/state/failures.ts";
import { formatCount } from "../../shared/state/format.ts";
import { loadPart } from "../../shared/state/load-part.ts";
import { notify } from "../../shared/state/notices.ts";
import { isAllowed } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";
import { exportAnimals } from "./export-animals.ts";

interface AnimalFilesProps {
  query: AnimalsQuery;
  /** Undefined if the size of the list is not known. */
  total: number | undefined;
  onImported: () => Promise<void>;
}

type ImportDialog = typeof import("../../import/import-dialog.tsx")["ImportDialog"];

export function AnimalFiles({ query, total, onImported }: AnimalFilesProps) {
  const texts = t().import;
  const opened = useSignal<{ Dialog: ImportDialog; file: File | undefined } | undefined>(undefined);
  const isExporting = useSignal(false);
  const mayImport = isAllowed("createPet") && isAllowed("updateProfile");

  async function open(file?: File): Promise<void> {
    try {
      opened.value = {
        Dialog: (await loadPart(() => import("../../import/import-dialog.tsx"))).ImportDialog,
        file,
      };
    } catch {
      notify(texts.notLoaded, { isFailure: true });
    }
  }

  async function save(): Promise<void> {
    isExporting.value = true;
    try {
      const count = await exportAnimals(query, total);
      if (count !== undefined) notify(texts.exported(formatCount(count)));
    } catch (error) {
      notify(texts.notExported(explain(error)), { isFailure: true });
    } finally {
      isExporting.value = false;
    }
  }

  const isDragging = useFileDrop(mayImport, open);
  const dialog = opened.value;
  return (
    <>
      {mayImport && <Button label={texts.import} onClick={() => void open()} />}
      <Button label={texts.export} isOff={isExporting.value} onClick={save} />
      {isDragging.value && <div class="drop-here">{texts.dropHere}</div>}
      {dialog && (
        <dialog.Dialog
          file={dialog.file}
          onImported={onImported}
          onClose={() => (opened.value = undefined)}
        />
      )}
    </>
  );
}

/** Takes a file that is dropped anywhere on the page. True while one is dragged over it. */
function useFileDrop(isOn: boolean, onFile: (file: File) => Promise<void>): Signal<boolean> {
  const isDragging = useSignal(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const ending = new AbortController();
    const listen = (type: "dragover" | "dragleave" | "drop", listener: (event: DragEvent) => void) =>
      addEventListener(type, listener, { signal: ending.signal });
    const isFile = ({ dataTransfer }: DragEvent) =>
      dataTransfer?.types.includes("Files") === true && document.querySelector("dialog[open]") === null;
    listen("dragover", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      isDragging.value = true;
    });
    listen("dragleave", ({ relatedTarget }) => {
      if (relatedTarget === null) isDragging.value = false;
    });
    listen("drop", (event) => {
      isDragging.value = false;
      if (!isFile(event)) return;
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) void onFile(file);
    });
    return () => ending.abort();
  }, [isOn]);
  return isDragging;
}
