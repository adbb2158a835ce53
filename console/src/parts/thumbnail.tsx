// A small photo of an animal in a list. Its space is always reserved.

import { useSignal } from "@preact/signals";
import type { Photo } from "../../../client/src/client.ts";
import { photoAddress } from "../state/photo-address.ts";

/** `photo` is the cover, if there is one. */
export function Thumbnail({ photo }: { photo: Photo | undefined }) {
  const isBroken = useSignal(false);
  if (photo === undefined || isBroken.value) return <span class="thumbnail" aria-hidden="true" />;
  return (
    <img
      class="thumbnail"
      src={photoAddress(photo.urls[320])}
      alt=""
      width={48}
      height={48}
      loading="lazy"
      onError={() => (isBroken.value = true)}
    />
  );
}
