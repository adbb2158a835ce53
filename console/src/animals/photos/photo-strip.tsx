// All photos of an animal in a row: one is chosen. Dragging moves a photo, and so do the arrow keys with Shift.

import { useId, useRef } from "preact/hooks";
import type { Photo } from "../../../../client/src/client.ts";
import { photoAddress } from "../../shared/state/addresses.ts";
import { usePhoto } from "../../shared/state/broken-photos.ts";
import { later } from "../../shared/texts/pages.ts";

interface PhotoStripProps {
  photos: Photo[];
  /** The chosen photo's. */
  index: number;
  mayArrange: boolean;
  onChoose: (photo: Photo) => void;
  /** `to` is the place among all photos. */
  onMove: (photo: Photo, to: number) => void;
}

export function PhotoStrip({ photos, index, mayArrange, onChoose, onMove }: PhotoStripProps) {
  const name = useId();
  const texts = later().gallery;
  const dragged = useRef<Photo | undefined>(undefined);

  function press(event: KeyboardEvent, photo: Photo, at: number): void {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!event.shiftKey || step === undefined || !mayArrange) return;
    event.preventDefault();
    onMove(photo, at + step);
  }

  return (
    <fieldset class="strip" aria-describedby={mayArrange ? `${name}-hint` : undefined}>
      <legend class="visually-hidden">{texts.all}</legend>
      {photos.map((photo, at) => (
        <label
          key={String(photo.id)}
          draggable={mayArrange}
          onDragStart={() => (dragged.current = photo)}
          onDragOver={(event) => dragged.current !== undefined && event.preventDefault()}
          onDrop={(event) => {
            if (dragged.current === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            onMove(dragged.current, at);
            dragged.current = undefined;
          }}
          onDragEnd={() => (dragged.current = undefined)}
        >
          <input
            type="radio"
            name={name}
            checked={at === index}
            aria-label={texts.one(at + 1, photo.alt)}
            onChange={() => onChoose(photo)}
            onKeyDown={(event) => press(event, photo, at)}
          />
          <SmallPhoto photo={photo} />
        </label>
      ))}
      {mayArrange && (
        <small id={`${name}-hint`} class="visually-hidden">
          {texts.moveHint}
        </small>
      )}
    </fieldset>
  );
}

function SmallPhoto({ photo }: { photo: Photo }) {
  const address = photoAddress(photo.urls[320]);
  const { isBroken, onError } = usePhoto(address);
  if (isBroken) return <span class="thumbnail" />;
  return <img class="thumbnail" src={address} alt="" width={72} height={72} onError={onError} />;
}
