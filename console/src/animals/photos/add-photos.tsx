// The buttons that add photos to an animal, with the progress and what was refused.

import { useRef } from "preact/hooks";
import { Button } from "../../shared/parts/button.tsx";
import { later } from "../../shared/texts/pages.ts";
import { ACCEPTED } from "./photo-uploads.ts";
import type { Uploads } from "./use-uploads.ts";

interface AddPhotosProps {
  uploads: Uploads;
  /** Whether the animal has no photo yet: then nothing on its page is more important. */
  isFirst: boolean;
}

export function AddPhotos({ uploads: { add, progress, refusals }, isFirst }: AddPhotosProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const isUploading = progress.value !== undefined;
  const hasCamera = matchMedia("(hover: none)").matches;
  const kindOf = (isMain: boolean) => (isFirst && isMain ? "primary" : undefined);

  return (
    <div class="add-photos">
      <div class="buttons">
        {hasCamera && (
          <Button
            kind={kindOf(true)}
            label={later().photos.camera}
            isOff={isUploading}
            onClick={() => camera.current?.click()}
          />
        )}
        <Button
          kind={kindOf(!hasCamera)}
          label={isFirst ? later().photos.choose : later().gallery.add}
          isOff={isUploading}
          onClick={() => chooser.current?.click()}
        />
      </div>
      <PhotoInput input={chooser} onChoose={add} isMultiple />
      <PhotoInput input={camera} onChoose={add} capture="environment" />
      <p role="status" class="upload">
        {progress.value !== undefined && (
          <>
            {later().photos.uploading(progress.value.done, progress.value.all)}{" "}
            <progress
              value={progress.value.done}
              max={progress.value.all}
              aria-label={later().photos.title}
            />
          </>
        )}
      </p>
      <div role="alert" class="failure">
        {refusals.value.length > 0 && (
          <ul>
            {refusals.value.map((refusal) => (
              <li key={refusal} dir="auto">
                {refusal}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
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
