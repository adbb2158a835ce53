// Photos on their way to the service: dropped, chosen, or taken with the camera of a phone.

import { type Signal, useSignal } from "@preact/signals";
import type { Listing } from "../../../../client/src/client.ts";
import { ALT_MAX } from "../../../../src/domain/animals/photo-limits.ts";
import { refusalOf, uploadPhotos } from "./photo-uploads.ts";

export interface Uploads {
  add: (files: FileList | null | undefined) => Promise<void>;
  /** Undefined while none is sent. */
  progress: Signal<{ done: number; all: number } | undefined>;
  /** Why files were not added, for people. */
  refusals: Signal<string[]>;
  /** Whether files are dragged over the place where they can be dropped. */
  isOver: Signal<boolean>;
  dropHandlers: {
    onDragOver: (event: DragEvent) => void;
    onDragLeave: () => void;
    onDrop: (event: DragEvent) => void;
  };
}

export function useUploads(listing: Listing, onChanged: () => Promise<void>): Uploads {
  const progress: Uploads["progress"] = useSignal(undefined);
  const refusals = useSignal<string[]>([]);
  const isOver = useSignal(false);

  async function add(files: FileList | null | undefined): Promise<void> {
    if (files === null || files === undefined || files.length === 0 || progress.value !== undefined) return;
    const chosen = [...files];
    const usable = chosen.filter((file) => refusalOf(file) === undefined);
    refusals.value = chosen.flatMap((file) => refusalOf(file) ?? []);
    progress.value = { done: 0, all: usable.length };
    const failed = await uploadPhotos(listing.id, usable, {
      alt: undescribed(listing),
      onDone: (done) => {
        progress.value = { done, all: usable.length };
      },
    });
    refusals.value = [...refusals.value, ...failed];
    progress.value = undefined;
    await onChanged();
  }

  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
  return {
    add,
    progress,
    refusals,
    isOver,
    dropHandlers: {
      onDragOver: (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        isOver.value = true;
      },
      onDragLeave: () => (isOver.value = false),
      onDrop: (event) => {
        isOver.value = false;
        if (!hasFiles(event)) return;
        event.preventDefault();
        void add(event.dataTransfer?.files);
      },
    },
  };
}

/** What a photo is said to show until someone describes it. A name can be longer. */
export function undescribed({ name }: Listing): string {
  return [...name].slice(0, ALT_MAX).join("");
}
