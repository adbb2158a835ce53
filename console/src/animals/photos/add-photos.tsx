// Adds photos to an animal: dropped, chosen, or taken with the camera of a phone.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Listing } from "../../../../client/src/client.ts";
import { ALT_MAX } from "../../../../src/domain/animals/photo-limits.ts";
import { Button } from "../../shared/parts/button.tsx";
import { Field } from "../../shared/parts/field.tsx";
import { t } from "../../shared/texts/language.ts";
import { ACCEPTED, refusalOf, uploadPhotos } from "./photo-uploads.ts";

interface AddPhotosProps {
  listing: Listing;
  onChanged: () => Promise<void>;
}

export function AddPhotos({ listing, onChanged }: AddPhotosProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const alt = useSignal("");
  const isOver = useSignal(false);
  const progress = useSignal<{ done: number; all: number } | undefined>(undefined);
  const refusals = useSignal<string[]>([]);
  const isUploading = progress.value !== undefined;

  async function add(files: FileList | null | undefined): Promise<void> {
    if (files === null || files === undefined || files.length === 0 || progress.value !== undefined) return;
    const chosen = [...files];
    const usable = chosen.filter((file) => refusalOf(file) === undefined);
    refusals.value = chosen.flatMap((file) => refusalOf(file) ?? []);
    progress.value = { done: 0, all: usable.length };
    const failed = await uploadPhotos(listing.id, usable, {
      // A name can be longer.
      alt: alt.value.trim() || [...listing.name].slice(0, ALT_MAX).join(""),
      onDone: (done) => {
        progress.value = { done, all: usable.length };
      },
    });
    refusals.value = [...refusals.value, ...failed];
    progress.value = undefined;
    if (failed.length === 0) alt.value = "";
    await onChanged();
  }

  return (
    <fieldset
      class={isOver.value ? "drop over" : "drop"}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        isOver.value = false;
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        void add(event.dataTransfer.files);
      }}
    >
      <legend class="visually-hidden">{t().photos.choose}</legend>
      <p class="quiet wide-only">{t().photos.dropHere}</p>
      <div class="buttons">
        <Button label={t().photos.choose} isOff={isUploading} onClick={() => chooser.current?.click()} />
        <Button
          kind="touch-only"
          label={t().photos.camera}
          isOff={isUploading}
          onClick={() => camera.current?.click()}
        />
      </div>
      <Field
        label={t().photos.alt}
        hint={t().photos.altHint}
        maxLength={ALT_MAX}
        dir="auto"
        value={alt.value}
        onInput={({ currentTarget }) => (alt.value = currentTarget.value)}
      />
      <PhotoInput input={chooser} onChoose={add} isMultiple />
      <PhotoInput input={camera} onChoose={add} capture="environment" />
      <p role="status">
        {progress.value !== undefined && (
          <>
            {t().photos.uploading(progress.value.done, progress.value.all)}{" "}
            <progress value={progress.value.done} max={progress.value.all} aria-label={t().photos.title} />
          </>
        )}
      </p>
      <ul role="alert" class="failure">
        {refusals.value.map((refusal) => (
          <li key={refusal}>{refusal}</li>
        ))}
      </ul>
    </fieldset>
  );
}

interface PhotoInputProps {
  input: preact.RefObject<HTMLInputElement | null>;
  onChoose: (files: FileList | null) => Promise<void>;
  isMultiple?: boolean;
  capture?: "environment";
}

/** Not in the tab order: the buttons open it. */
function PhotoInput({ input, onChoose, isMultiple = false, capture }: PhotoInputProps) {
  return (
    <input
      ref={input}
      type="file"
      class="visually-hidden"
      tabIndex={-1}
      aria-hidden="true"
      accept={ACCEPTED}
      multiple={isMultiple}
      capture={capture}
      onChange={({ currentTarget }) => {
        void onChoose(currentTarget.files).finally(() => {
          // The same file can be chosen again.
          currentTarget.value = "";
        });
      }}
    />
  );
}
