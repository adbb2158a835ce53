// The photos of an animal: shows them, adds new ones, puts them into order and deletes them.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Int64, Listing, Photo } from "../../../client/src/client.ts";
import { Field } from "../parts/field.tsx";
import { isByKeyboard } from "../parts/focus.ts";
import { deleteLater, isHidden } from "../state/deletions.ts";
import { explain } from "../state/failures.ts";
import { notify } from "../state/notices.ts";
import { photoAddress } from "../state/photo-address.ts";
import { ask, isAllowed } from "../state/session.ts";
import { t } from "../texts/language.ts";
import { IMAGE_TYPES, refusalOf, uploadPhotos } from "./photo-uploads.ts";

/** A name can be longer. */
const ALT_MAX = 200;

interface PhotosProps {
  listing: Listing;
  onChanged: () => Promise<void>;
}

export function AnimalPhotos({ listing, onChanged }: PhotosProps) {
  const photos = listing.photos.filter(({ id }) => !isHidden(`photo:${id}`));
  /** While a new order is being sent. */
  const wanted = useSignal<Int64[] | undefined>(undefined);
  const shown = wanted.value === undefined ? photos : sortBy(photos, wanted.value);
  const dragged = useRef<Int64 | undefined>(undefined);

  async function arrange(order: Photo[]): Promise<void> {
    wanted.value = order.map(({ id }) => id);
    try {
      // The service wants every photo, also one whose deletion can still be undone.
      const hidden = listing.photos.filter(({ id }) => isHidden(`photo:${id}`));
      const ids = [...order, ...hidden].map(({ id }) => id);
      await ask((client) => client.orderPhotos(listing.id, { order: ids }));
    } catch (error) {
      notify(explain(error), { isFailure: true });
    }
    await onChanged();
    wanted.value = undefined;
  }

  function moveTo(id: Int64, index: number): void {
    const photo = shown.find((each) => each.id === id);
    if (photo === undefined) return;
    const others = shown.filter((each) => each.id !== id);
    void arrange([...others.slice(0, index), photo, ...others.slice(index)]);
  }

  function remove(photo: Photo, event: MouseEvent): void {
    const run = async () => {
      await ask((client) => client.deletePhoto(listing.id, photo.id));
      await onChanged();
    };
    deleteLater({
      key: `photo:${photo.id}`,
      label: t().photos.one(listing.name),
      run,
      isByKeyboard: isByKeyboard(event),
    });
  }

  return (
    <section aria-labelledby="photos">
      <h2 id="photos">{t().photos.title}</h2>
      {shown.length === 0 && <p class="quiet">{t().photos.none}</p>}
      <ul class="photos">
        {shown.map((photo, index) => (
          <li
            key={String(photo.id)}
            draggable={isAllowed("orderPhotos")}
            onDragStart={() => (dragged.current = photo.id)}
            onDragOver={(event) => dragged.current !== undefined && event.preventDefault()}
            onDrop={(event) => {
              if (dragged.current === undefined) return;
              event.preventDefault();
              event.stopPropagation();
              moveTo(dragged.current, index);
              dragged.current = undefined;
            }}
            onDragEnd={() => (dragged.current = undefined)}
          >
            <Picture photo={photo} isLarge={index === 0} />
            {isAllowed("orderPhotos") && (
              <div class="photo-actions">
                <button
                  type="button"
                  class="icon"
                  aria-label={t().photos.earlier(index + 1)}
                  aria-disabled={index === 0}
                  onClick={() => index > 0 && moveTo(photo.id, index - 1)}
                >
                  ←
                </button>
                <button
                  type="button"
                  class="icon"
                  aria-label={t().photos.later(index + 1)}
                  aria-disabled={index === shown.length - 1}
                  onClick={() => index < shown.length - 1 && moveTo(photo.id, index + 1)}
                >
                  →
                </button>
                <button
                  type="button"
                  class="icon"
                  aria-label={t().photos.delete(index + 1)}
                  onClick={(event) => {
                    // The second click of a double-click would delete the next photo.
                    if (event.detail <= 1) remove(photo, event);
                  }}
                >
                  ✕
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {isAllowed("addPhoto") && <AddPhotos listing={listing} onChanged={onChanged} />}
    </section>
  );
}

/** The size is known in advance, so that nothing moves when the image arrives. */
function Picture({ photo, isLarge }: { photo: Photo; isLarge: boolean }) {
  const { urls, width, height, alt } = photo;
  return (
    <img
      src={photoAddress(isLarge ? (urls[640] ?? urls[320]) : urls[320])}
      width={width}
      height={height}
      alt={alt}
      loading={isLarge ? "eager" : "lazy"}
    />
  );
}

function AddPhotos({ listing, onChanged }: PhotosProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const alt = useSignal("");
  const isOver = useSignal(false);
  const progress = useSignal<{ done: number; all: number } | undefined>(undefined);
  const refusals = useSignal<string[]>([]);

  async function add(files: FileList | null | undefined): Promise<void> {
    if (files === null || files === undefined || files.length === 0 || progress.value !== undefined) return;
    const chosen = [...files];
    const usable = chosen.filter((file) => refusalOf(file) === undefined);
    refusals.value = chosen.flatMap((file) => refusalOf(file) ?? []);
    progress.value = { done: 0, all: usable.length };
    const failed = await uploadPhotos(listing.id, usable, {
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
        <button
          type="button"
          aria-disabled={progress.value !== undefined}
          onClick={() => chooser.current?.click()}
        >
          {t().photos.choose}
        </button>
        <button
          type="button"
          class="touch-only"
          aria-disabled={progress.value !== undefined}
          onClick={() => camera.current?.click()}
        >
          {t().photos.camera}
        </button>
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
      accept={IMAGE_TYPES.join(",")}
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

function sortBy(photos: Photo[], order: Int64[]): Photo[] {
  const place = (photo: Photo) => order.indexOf(photo.id);
  return [...photos].sort((a, b) => place(a) - place(b));
}
