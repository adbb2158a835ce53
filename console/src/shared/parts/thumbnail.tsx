// A small photo of an animal in a list. Its space is always reserved.

import type { Photo } from "../../../../client/src/client.ts";
import { photoAddress } from "../state/addresses.ts";
import { usePhoto } from "../state/broken-photos.ts";

export function Thumbnail({ photo }: { photo: Photo | undefined }) {
  return photo === undefined ? <Gap /> : <Image address={photoAddress(photo.urls[320])} />;
}

/** Without a text: the name beside it says which animal it shows. */
function Image({ address }: { address: string }) {
  const { isBroken, onError } = usePhoto(address);
  if (isBroken) return <Gap />;
  return (
    <img class="thumbnail" src={address} alt="" width={48} height={48} loading="lazy" onError={onError} />
  );
}

function Gap() {
  return <span class="thumbnail" aria-hidden="true" />;
}
