// The card for the kennel: what Ctrl+P prints instead of the page of an animal.

import { useEffect, useRef } from "preact/hooks";
import type { Listing, Photo } from "../../../../client/src/client.ts";
import { FactList } from "../../shared/parts/fact-list.tsx";
import { photoAddress } from "../../shared/state/addresses.ts";
import { usePhoto } from "../../shared/state/broken-photos.ts";
import { isShownToPublic } from "../../shared/state/public-site.ts";
import { FIRST_SHELTER, findShelter, hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { factsForVisitors } from "../profile/facts.ts";
import { fitCard } from "./fit-card.ts";
import { nameClass } from "./name-class.ts";
import { PublicPage } from "./public-page.tsx";

export function KennelCard({ listing }: { listing: Listing }) {
  const { name, status, photos, id } = listing;
  const { externalId, tags = [] } = listing.profile;
  const description = withoutGaps(listing.profile.description ?? "");
  const card = useRef<HTMLElement>(null);
  const cover = photos[0];

  useEffect(() => {
    const fit = () => card.current && fitCard(card.current);
    addEventListener("beforeprint", fit);
    return () => removeEventListener("beforeprint", fit);
  }, []);

  return (
    <article class="kennel-card" aria-hidden="true" ref={card}>
      <header>
        <h1 class={nameClass(name)} dir="auto">
          {name}
        </h1>
        <p>
          {t().petStatus[status]} · {t().common.numbered(String(id))}
          {externalId !== undefined && " · "}
          <bdi>{externalId}</bdi>
        </p>
      </header>
      <div class="photo-and-facts" style={cover && { "--ratio": String(cover.width / cover.height) }}>
        {cover && <Cover photo={cover} />}
        <FactList facts={factsForVisitors(listing)} />
        {tags.length > 0 && (
          <ul class="tags">
            {[...new Set(tags)].map((tag) => (
              <li key={tag} dir="auto">
                {tag}
              </li>
            ))}
          </ul>
        )}
      </div>
      {description !== "" && (
        <p class="description" dir="auto">
          {description}
        </p>
      )}
      {isShownToPublic(status) && <PublicPage petId={id} />}
      <Contact shelter={listing.shelter} />
    </article>
  );
}

/** Nothing for the only shelter of a store while nobody has filled it in. */
function Contact({ shelter }: Pick<Listing, "shelter">) {
  const { name = shelter.name, address = {}, phone, email, website } = findShelter(shelter.id) ?? {};
  const { street, postalCode, city } = address;
  const town = [postalCode, city].filter(Boolean).join(" ");
  const lines = [street, town, phone, email, website].filter(Boolean);
  if (lines.length === 0 && name === FIRST_SHELTER.name && !hasSeveralShelters()) return null;
  return (
    <footer>
      <strong dir="auto">{name}</strong>{" "}
      {lines.map((line) => (
        <span key={line} dir="auto">
          {line}
        </span>
      ))}
    </footer>
  );
}

function Cover({ photo }: { photo: Photo }) {
  const { urls, width, height } = photo;
  const address = photoAddress(urls[1280] ?? urls[640] ?? urls[320]);
  const { isBroken, onError } = usePhoto(address);
  // With its size, the card is measured correctly before the image has arrived.
  return isBroken ? null : <img src={address} alt="" width={width} height={height} onError={onError} />;
}

/** A thousand blank lines would be printed as pages without text. */
function withoutGaps(description: string): string {
  return description.trim().replace(/\n{3,}/g, "\n\n");
}
