// A small photo of an animal in a list, or the silhouette of its species. Its space is always reserved.

import type { Photo, Species } from "../../../../client/src/client.ts";
import { photoAddress } from "../state/addresses.ts";
import { usePhoto } from "../state/broken-photos.ts";
import { Silhouette } from "./silhouette.tsx";

interface ThumbnailProps {
  photo: Photo | undefined;
  species?: Species | undefined;
}

export function Thumbnail({ photo, species }: ThumbnailProps) {
  if (photo === undefined) return <Gap species={species} />;
  return <Image address={photoAddress(photo.urls[320])} species={species} />;
}

/** Without a text: the name beside it says which animal it shows. */
function Image({ address, species }: { address: string; species: Species | undefined }) {
  const { isBroken, onError } = usePhoto(address);
  if (isBroken) return <Gap species={species} />;
  return (
    <img class="thumbnail" src={address} alt="" width={48} height={48} loading="lazy" onError={onError} />
  );
}

function Gap({ species }: Pick<ThumbnailProps, "species">) {
  return (
    <span class="thumbnail" aria-hidden="true">
      <Silhouette species={species} />
    </span>
  );
}
