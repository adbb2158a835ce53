// The headings of places and of the pages of one animal or key.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { nameTab } from "../state/brand.ts";
import { hrefOf, type PlaceName } from "../state/place.ts";
import { t } from "../texts/language.ts";

export function Head({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  return (
    <div class="head">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

/** A link to the list that the page belongs to. */
interface Back {
  place: PlaceName;
  back: string;
  children?: ComponentChildren;
}

export function PageHead({ place, back, name, children }: Back & { name: string }) {
  useEffect(() => {
    nameTab(name);
  }, [name]);
  return (
    <>
      <p class="path">
        <a href={hrefOf(place)}>{back}</a>
      </p>
      <Head title={<bdi>{name}</bdi>}>{children}</Head>
    </>
  );
}

/** The page of an id that does not exist. */
export function MissingPage({ place, back, children }: Back) {
  return (
    <div class="empty">
      <h1>{t().common.notFound}</h1>
      <p>{children}</p>
      <a href={hrefOf(place)}>{back}</a>
    </div>
  );
}
