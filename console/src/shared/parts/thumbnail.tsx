// A small photo of an animal in a list, or the silhouette of its species. Its space is always reserved.

import type { Listing, Species } from "../../../../client/src/client.ts";
import { photoAddress } from "../state/addresses.ts";
import { usePhoto } from "../state/broken-photos.ts";
import { Silhouette } from "./silhouette.tsx";

interface ThumbnailProps {
  /** Undefined for one that is not known. */
  animal: Pick<Listing, "photos" | "profile"> | undefined;
}

export function Thumbnail({ animal }: ThumbnailProps) {
  const species = animal?.profile.species;
  const photo = animal?.photos[0];
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

function Gap({ species }: { species: Species | undefined }) {
  return (
    <span class="thumbnail" aria-hidden="true">
      <Silhouette species={species} />
    </span>
  );
}
