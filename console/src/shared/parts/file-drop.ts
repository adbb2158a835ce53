// Takes a file that is dropped anywhere on the page, and hands it to the page that imports it.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

let dropped: File | undefined;

export function keepDropped(file: File): void {
  dropped = file;
}

export function takeDropped(): File | undefined {
  const file = dropped;
  dropped = undefined;
  return file;
}

/** True while a file is dragged over the page. */
export function useFileDrop(isOn: boolean, onFile: (file: File) => void): Signal<boolean> {
  const isDragging = useSignal(false);
  const latest = useRef(onFile);
  latest.current = onFile;
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
      if (file !== undefined) latest.current(file);
    });
    return () => ending.abort();
  }, [isOn]);
  return isDragging;
}
