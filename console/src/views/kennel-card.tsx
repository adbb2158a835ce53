// The card for the kennel: what Ctrl+P prints instead of the page of an animal.

import type { Listing } from "../../../client/src/client.ts";
import { usePhoto } from "../state/broken-photos.ts";
import { photoAddress } from "../state/photo-address.ts";
import { t } from "../texts/language.ts";
import { FactList, factsOf } from "./animal-facts.tsx";

export function KennelCard({ listing }: { listing: Listing }) {
  const { name, status, photos, profile, id } = listing;
  const cover = photos[0];
  return (
    <article class="kennel-card" aria-hidden="true">
      <header>
        <h1 dir="auto">{name}</h1>
        <p>
          {t().petStatus[status]} · {t().animal.number(String(id))}
        </p>
      </header>
      {cover && <Cover address={photoAddress(cover.urls[1280] ?? cover.urls[640] ?? cover.urls[320])} />}
      <FactList facts={factsOf(listing)} />
      {profile.description !== undefined && (
        <p class="description" dir="auto">
          {profile.description}
        </p>
      )}
    </article>
  );
}

function Cover({ address }: { address: string }) {
  const { isBroken, onError } = usePhoto(address);
  return isBroken ? null : <img src={address} alt="" onError={onError} />;
}
