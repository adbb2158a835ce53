// The large photo of an animal, or what stands in its place. Its size is the same for all, so that nothing moves.

import type { ComponentChildren } from "preact";
import type { Listing, Photo } from "../../../../client/src/client.ts";
import { Silhouette } from "../../shared/parts/silhouette.tsx";
import { photoAddress } from "../../shared/state/addresses.ts";
import { usePhoto } from "../../shared/state/broken-photos.ts";
import { later } from "../../shared/texts/pages.ts";

interface LargePhotoProps {
  photo: Photo;
  onEnlarge: () => void;
  children: ComponentChildren;
}

export function LargePhoto({ photo, onEnlarge, children }: LargePhotoProps) {
  const { urls, width, height, alt } = photo;
  const { isBroken, onError } = usePhoto(photoAddress(urls[640] ?? urls[320]));
  return (
    <div class={isBroken ? "frame broken" : "frame"}>
      {isBroken ? (
        <p class="words" dir="auto">
          {alt}
        </p>
      ) : (
        <>
          {/* Fills the frame around a photo of another shape. */}
          <img class="backdrop" src={photoAddress(urls[320])} alt="" />
          <button
            type="button"
            class="enlarge"
            aria-label={later().gallery.enlarge(alt)}
            onClick={({ detail }) => {
              // The second click of a double-click on an action of the photo.
              if (detail <= 1) onEnlarge();
            }}
          >
            <img
              key={urls[320]}
              src={photoAddress(urls[640] ?? urls[320])}
              srcset={sourcesOf(photo)}
              sizes="(width < 60rem) 100vw, 55vw"
              width={width}
              height={height}
              alt={alt}
              onError={onError}
            />
          </button>
        </>
      )}
      {children}
    </div>
  );
}

/** For the attribute `srcset`: the browser chooses the file that fits the screen. */
export function sourcesOf({ urls }: Photo): string {
  return Object.entries(urls)
    .map(([width, url]) => `${photoAddress(url)} ${width}w`)
    .join(", ");
}

/** Invites to add the first photo, where the key may do that. */
export function NoPhoto({ listing, children }: { listing: Listing; children: ComponentChildren }) {
  return (
    <div class="frame none">
      <Silhouette species={listing.profile.species} />
      <p class="words">{later().photos.none}</p>
      {children}
    </div>
  );
}
