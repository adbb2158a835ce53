// The photos of an animal in the order that the user wants, also while it is being sent, without those being deleted.

import { useSignal } from "@preact/signals";
import type { Int64, Listing, Photo } from "../../../../client/src/client.ts";
import { isHidden } from "../../shared/state/deletions.ts";
import { explain } from "../../shared/state/failures.ts";
import { notify } from "../../shared/state/notices.ts";
import { ask } from "../../shared/state/session.ts";

interface PhotoOrder {
  shown: Photo[];
  /** `index` counts the shown photos without the moved one. */
  moveTo: (id: Int64, index: number) => void;
}

/** The key of a photo that is being deleted. */
export const keyOfPhoto = ({ id }: Photo) => `photo:${id}`;

export function usePhotoOrder(listing: Listing, onChanged: () => Promise<void>): PhotoOrder {
  const photos = listing.photos.filter((photo) => !isHidden(keyOfPhoto(photo)));
  const wanted = useSignal<Int64[] | undefined>(undefined);
  const shown = wanted.value === undefined ? photos : sortBy(photos, wanted.value);

  /** One request at a time: of two, the first could arrive last. The order that was wanted last is sent last. */
  async function arrange(order: Photo[]): Promise<void> {
    const isSending = wanted.value !== undefined;
    // The service wants every photo, also one whose deletion can still be undone.
    const hidden = listing.photos.filter((photo) => isHidden(keyOfPhoto(photo)));
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

function sortBy(photos: Photo[], order: Int64[]): Photo[] {
  const place = (photo: Photo) => order.indexOf(photo.id);
  return [...photos].sort((a, b) => place(a) - place(b));
}
