// The photos of an animal: shows them, puts them into order and deletes them.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Int64, Listing, Photo } from "../../../../client/src/client.ts";
import { Button } from "../../shared/parts/button.tsx";
import { isByKeyboard } from "../../shared/parts/focus.ts";
import { photoAddress } from "../../shared/state/addresses.ts";
import { usePhoto } from "../../shared/state/broken-photos.ts";
import { deleteLater, isHidden } from "../../shared/state/deletions.ts";
import { explain } from "../../shared/state/failures.ts";
import { notify } from "../../shared/state/notices.ts";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";
import { AddPhotos } from "./add-photos.tsx";

interface PhotosProps {
  listing: Listing;
  onChanged: () => Promise<void>;
}

export function AnimalPhotos({ listing, onChanged }: PhotosProps) {
  const { shown, moveTo } = usePhotoOrder(listing, onChanged);
  const dragged = useRef<Int64 | undefined>(undefined);
  const mayArrange = mayChange("orderPhotos", listing);

  function remove(photo: Photo, event: MouseEvent): void {
    // The second click of a double-click would delete the next photo.
    if (event.detail > 1) return;
    const run = async () => {
      await ask((client) => client.deletePhoto(listing.id, photo.id));
      await onChanged();
    };
    const label = t().photos.one(listing.name);
    deleteLater({ key: keyOf(photo), label, run, isByKeyboard: isByKeyboard(event) });
  }

  return (
    <section aria-labelledby="photos">
      <h2 id="photos">{t().photos.title}</h2>
      {shown.length === 0 && <p class="quiet">{t().photos.none}</p>}
      <ul class="photos">
        {shown.map((photo, index) => (
          <li
            key={String(photo.id)}
            draggable={mayArrange}
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
            {mayArrange && (
              <PhotoActions
                number={index + 1}
                isLast={index === shown.length - 1}
                onMove={(step) => moveTo(photo.id, index + step)}
                onDelete={(event) => remove(photo, event)}
              />
            )}
          </li>
        ))}
      </ul>
      {mayChange("addPhoto", listing) && <AddPhotos listing={listing} onChanged={onChanged} />}
    </section>
  );
}

const keyOf = ({ id }: Photo) => `photo:${id}`;

/** The photos in the order that the user wants, while it is being sent. */
function usePhotoOrder(listing: Listing, onChanged: () => Promise<void>) {
  const photos = listing.photos.filter((photo) => !isHidden(keyOf(photo)));
  const wanted = useSignal<Int64[] | undefined>(undefined);
  const shown = wanted.value === undefined ? photos : sortBy(photos, wanted.value);

  /** One request at a time: of two, the first could arrive last. The order that was wanted last is sent last. */
  async function arrange(order: Photo[]): Promise<void> {
    const isSending = wanted.value !== undefined;
    // The service wants every photo, also one whose deletion can still be undone.
    const hidden = listing.photos.filter((photo) => isHidden(keyOf(photo)));
    wanted.value = [...order, ...hidden].map(({ id }) => id);
    if (isSending) return;
    let sent: Int64[];
    do {
      sent = wanted.value;
      await send(sent);
      if (wanted.value === sent) await onChanged();
    } while (wanted.value !== sent);
    wanted.value = undefined;
  }

  async function send(order: Int64[]): Promise<void> {
    try {
      await ask((client) => client.orderPhotos(listing.id, { order }));
    } catch (error) {
      notify(explain(error), { isFailure: true });
    }
  }

  function moveTo(id: Int64, index: number): void {
    const photo = shown.find((each) => each.id === id);
    if (photo === undefined) return;
    const others = shown.filter((each) => each.id !== id);
    void arrange([...others.slice(0, index), photo, ...others.slice(index)]);
  }

  return { shown, moveTo };
}

interface PhotoActionsProps {
  number: number;
  isLast: boolean;
  onMove: (step: 1 | -1) => void;
  onDelete: (event: MouseEvent) => void;
}

function PhotoActions({ number, isLast, onMove, onDelete }: PhotoActionsProps) {
  const texts = t().photos;
  return (
    <div class="photo-actions">
      <Button
        kind="icon"
        label="←"
        name={texts.earlier(number)}
        isOff={number === 1}
        onClick={() => onMove(-1)}
      />
      <Button kind="icon" label="→" name={texts.later(number)} isOff={isLast} onClick={() => onMove(1)} />
      <Button kind="icon" label="✕" name={texts.delete(number)} onClick={onDelete} />
    </div>
  );
}

/** The size is known in advance, so that nothing moves when the image arrives. */
function Picture({ photo, isLarge }: { photo: Photo; isLarge: boolean }) {
  const { urls, width, height, alt } = photo;
  const address = photoAddress(isLarge ? (urls[640] ?? urls[320]) : urls[320]);
  const { isBroken, onError } = usePhoto(address);
  if (isBroken) return <span class="gap">{alt}</span>;
  return (
    <img
      src={address}
      width={width}
      height={height}
      alt={alt}
      loading={isLarge ? "eager" : "lazy"}
      onError={onError}
    />
  );
}

function sortBy(photos: Photo[], order: Int64[]): Photo[] {
  const place = (photo: Photo) => order.indexOf(photo.id);
  return [...photos].sort((a, b) => place(a) - place(b));
}
