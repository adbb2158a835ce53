// The photos of an animal: a large one, and a strip of all of them to choose from and to put into order.

import { useSignal } from "@preact/signals";
import type { Int64, Listing, Photo } from "../../../../client/src/client.ts";
import { isByKeyboard } from "../../shared/parts/focus.ts";
import { Menu } from "../../shared/parts/menu.tsx";
import { deleteLater } from "../../shared/state/deletions.ts";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { AddPhotos } from "./add-photos.tsx";
import { PhotoDialog } from "./photo-dialog.tsx";
import { LargePhoto, NoPhoto } from "./photo-frame.tsx";
import { PhotoStrip } from "./photo-strip.tsx";
import { keyOfPhoto, usePhotoOrder } from "./use-photo-order.ts";
import { useUploads } from "./use-uploads.ts";

interface GalleryProps {
  listing: Listing;
  onChanged: () => Promise<void>;
}

export function Gallery({ listing, onChanged }: GalleryProps) {
  const { shown, moveTo } = usePhotoOrder(listing, onChanged);
  const uploads = useUploads(listing, onChanged);
  /** The cover if it is undefined, or no longer one of the photos. */
  const chosen = useSignal<Int64 | undefined>(undefined);
  const opened = useSignal<"photo" | "description" | undefined>(undefined);
  const said = useSignal("");
  const index = Math.max(
    0,
    shown.findIndex(({ id }) => id === chosen.value),
  );
  const photo = shown[index];
  const mayArrange = mayChange("orderPhotos", listing);
  const mayAdd = mayChange("addPhoto", listing);

  /** `to` is the place among all photos. */
  function move({ id }: Photo, to: number): void {
    if (to < 0 || to >= shown.length) return;
    chosen.value = id;
    moveTo(id, to);
    said.value = later().gallery.movedTo(to + 1, shown.length);
  }

  function remove(removed: Photo, event: MouseEvent): void {
    // The second click of a double-click would delete the next photo.
    if (event.detail <= 1) deletePhotoLater(removed, { listing, onChanged }, isByKeyboard(event));
  }

  return (
    <section
      class={uploads.isOver.value ? "gallery over" : "gallery"}
      aria-label={later().photos.title}
      {...(mayAdd && uploads.dropHandlers)}
    >
      {photo === undefined ? (
        <NoPhoto listing={listing}>{mayAdd && <AddPhotos uploads={uploads} isFirst />}</NoPhoto>
      ) : (
        <LargePhoto photo={photo} onEnlarge={() => (opened.value = "photo")}>
          {mayArrange && (
            <Menu
              name={later().gallery.actions(index + 1)}
              kind="icon over-photo"
              items={photoActions({ photo, index, count: shown.length, move, remove, opened })}
            >
              ⋯
            </Menu>
          )}
        </LargePhoto>
      )}
      {shown.length > 1 && (
        <PhotoStrip
          photos={shown}
          index={index}
          mayArrange={mayArrange}
          onChoose={({ id }) => (chosen.value = id)}
          onMove={move}
        />
      )}
      {photo !== undefined && mayAdd && <AddPhotos uploads={uploads} isFirst={false} />}
      <p role="status" class="visually-hidden">
        {said.value}
      </p>
      {opened.value !== undefined && photo !== undefined && (
        <PhotoDialog
          listing={listing}
          photos={shown}
          index={index}
          isDescribing={opened.value === "description"}
          onShow={({ id }) => (chosen.value = id)}
          onChanged={onChanged}
          onClose={() => (opened.value = undefined)}
        />
      )}
    </section>
  );
}

function deletePhotoLater(photo: Photo, { listing, onChanged }: GalleryProps, isByKeyboard: boolean): void {
  const run = async () => {
    await ask((client) => client.deletePhoto(listing.id, photo.id));
    await onChanged();
  };
  deleteLater({ key: keyOfPhoto(photo), label: later().photos.one(listing.name), run, isByKeyboard });
}

interface PhotoActionsOptions {
  photo: Photo;
  index: number;
  count: number;
  move: (photo: Photo, to: number) => void;
  remove: (photo: Photo, event: MouseEvent) => void;
  opened: { value: "photo" | "description" | undefined };
}

function photoActions({ photo, index, count, move, remove, opened }: PhotoActionsOptions) {
  const texts = later().gallery;
  const moves = [
    { label: texts.describeAsk, onChoose: () => (opened.value = "description") },
    { label: texts.makeCover, isOff: index === 0, onChoose: () => move(photo, 0) },
    { label: texts.forward, isOff: index === 0, onChoose: () => move(photo, index - 1) },
    { label: texts.back, isOff: index === count - 1, onChoose: () => move(photo, index + 1) },
  ];
  const deletion = {
    label: t().common.delete,
    kind: "danger",
    onChoose: (event: MouseEvent) => remove(photo, event),
  };
  return [...(count > 1 ? moves : moves.slice(0, 1)), deletion];
}
