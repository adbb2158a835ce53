// A photo as large as the window, with what it shows in words, which can be changed there.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Listing, Photo } from "../../../../client/src/client.ts";
import { ALT_MAX } from "../../../../src/domain/animals/photo-limits.ts";
import { Button } from "../../shared/parts/button.tsx";
import { Dialog } from "../../shared/parts/dialog.tsx";
import { Field } from "../../shared/parts/field.tsx";
import { focusFirst, isInField } from "../../shared/parts/focus.ts";
import { Form } from "../../shared/parts/form.tsx";
import { photoAddress } from "../../shared/state/addresses.ts";
import { notify } from "../../shared/state/notices.ts";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { sourcesOf } from "./photo-frame.tsx";
import { undescribed } from "./use-uploads.ts";

interface PhotoDialogProps {
  listing: Listing;
  photos: Photo[];
  index: number;
  /** Starts with the field, and ends when it is saved or cancelled. */
  isDescribing: boolean;
  onShow: (photo: Photo) => void;
  onChanged: () => Promise<void>;
  onClose: () => void;
}

export function PhotoDialog(props: PhotoDialogProps) {
  const { listing, photos, index, onShow, onChanged, onClose } = props;
  const texts = later().gallery;
  const isDescribing = useSignal(props.isDescribing);
  const photo = photos[index];

  function step(by: number): void {
    const next = photos[index + by];
    if (next === undefined || by === 0) return;
    isDescribing.value = false;
    onShow(next);
  }

  useArrowKeys(step);
  const view = useRef<HTMLDivElement>(null);
  // The form that had the focus is gone.
  useLayoutEffect(() => {
    if (view.current !== null && document.activeElement === document.body) focusFirst(view.current);
  }, [isDescribing.value]);

  if (photo === undefined) return null;
  return (
    <Dialog title={texts.numberOf(index + 1, photos.length)} isWide onClose={onClose}>
      <div class="photo-view" ref={view}>
        <img
          key={String(photo.id)}
          src={photoAddress(photo.urls[1280] ?? photo.urls[640] ?? photo.urls[320])}
          srcset={sourcesOf(photo)}
          sizes="(width < 56rem) 100vw, 56rem"
          width={photo.width}
          height={photo.height}
          alt={photo.alt}
        />
        {isDescribing.value ? (
          <Description
            key={String(photo.id)}
            photo={photo}
            listing={listing}
            onSaved={onChanged}
            onClose={props.isDescribing ? onClose : () => (isDescribing.value = false)}
          />
        ) : (
          <footer>
            <Caption photo={photo} listing={listing} onDescribe={() => (isDescribing.value = true)} />
            {photos.length > 1 && <Steps index={index} count={photos.length} onStep={step} />}
          </footer>
        )}
      </div>
    </Dialog>
  );
}

function useArrowKeys(onStep: (by: number) => void): void {
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      if (!isInField()) onStep({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

interface CaptionProps {
  photo: Photo;
  listing: Listing;
  onDescribe: () => void;
}

function Caption({ photo, listing, onDescribe }: CaptionProps) {
  const texts = later().gallery;
  const isDescribed = photo.alt !== "" && photo.alt !== undescribed(listing);
  return (
    <>
      <p class={isDescribed ? "photo-words" : "photo-words quiet"} dir="auto">
        {isDescribed ? photo.alt : texts.undescribed}
      </p>
      {mayChange("updatePhoto", listing) && (
        <Button label={isDescribed ? texts.changeDescription : texts.describe} onClick={onDescribe} />
      )}
    </>
  );
}

function Steps({ index, count, onStep }: { index: number; count: number; onStep: (by: number) => void }) {
  const { previous, next } = later().gallery;
  return (
    <>
      <Button kind="icon" label="←" name={previous} isOff={index === 0} onClick={() => onStep(-1)} />
      <Button kind="icon" label="→" name={next} isOff={index === count - 1} onClick={() => onStep(1)} />
    </>
  );
}

interface DescriptionProps {
  photo: Photo;
  listing: Listing;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

function Description({ photo, listing, onSaved, onClose }: DescriptionProps) {
  const before = photo.alt === undescribed(listing) ? "" : photo.alt;
  const text = useSignal(before);

  async function submit(_fields: FormData, signal: AbortSignal): Promise<void> {
    const alt = text.value.trim() || undescribed(listing);
    if (alt !== photo.alt) {
      await ask((client) => client.updatePhoto(listing.id, photo.id, { alt }, { signal }));
      await onSaved();
      notify(t().form.saved);
    }
    onClose();
  }

  return (
    <Form action={t().form.save} onSubmit={submit} onCancel={onClose}>
      <Field
        label={later().gallery.shows}
        hint={later().photos.altHint}
        maxLength={ALT_MAX}
        dir="auto"
        autoFocus
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
    </Form>
  );
}
