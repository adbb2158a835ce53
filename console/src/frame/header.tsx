// The header of every page: the store in its own colour, the search, and where there is room the places and the way out.

import { FindButton } from "../find/find.tsx";
import { Button } from "../shared/parts/button.tsx";
import { Mark } from "../shared/parts/mark.tsx";
import { brandColours, brandName } from "../shared/state/brand.ts";
import { formatCount, formatDuration } from "../shared/state/format.ts";
import { hrefOf, type PlaceName } from "../shared/state/place.ts";
import { findBindingWindow } from "../shared/state/rate-now.ts";
import { session, signOut } from "../shared/state/session.ts";
import { isNarrow } from "../shared/state/viewport.ts";
import { t } from "../shared/texts/language.ts";
import { DAILY, describeOpen, listPlaces, OpenOrders } from "./navigation.tsx";
import { nameOfPlace } from "./place-name.ts";

export function Header({ current }: { current: PlaceName }) {
  return (
    <header class="top" style={colours()}>
      <div class="top-row">
        <a href={hrefOf("today")} class="brand">
          <Mark />
          <bdi>{brandName.value}</bdi>
        </a>
        <FindButton />
        <div class="who">
          <RateCorner />
          <Account isCurrent={current === "account"} />
          {!isNarrow.value && <Button label={t().frame.signOut} onClick={() => signOut()} />}
        </div>
      </div>
      {!isNarrow.value && <Places current={current} />}
    </header>
  );
}

/** A phone has them at its lower edge. */
function Places({ current }: { current: PlaceName }) {
  return (
    <nav class="places" aria-label={t().frame.places}>
      {listPlaces().map((name) => (
        <a
          key={name}
          href={hrefOf(name)}
          class={DAILY.includes(name) ? "daily" : undefined}
          aria-current={name === current ? "page" : undefined}
          aria-description={describeOpen(name)}
        >
          {nameOfPlace(name)}
          {name === "orders" && <OpenOrders />}
        </a>
      ))}
    </nav>
  );
}

/** Only the header takes the colours of the store: buttons keep their meaning everywhere. */
function colours() {
  const own = brandColours.value;
  if (own === undefined) return undefined;
  const [light, dark] = own.links;
  return {
    "--accent": own.accent,
    "--on-accent": own.onAccent,
    "--link": `light-dark(${light}, ${dark})`,
  };
}

/** The name of the signed-in person, which leads to what they can do for themselves. */
function Account({ isCurrent }: { isCurrent: boolean }) {
  const person = session.value?.person;
  if (person === undefined) return null;
  return (
    <a href={hrefOf("account")} class="me" aria-current={isCurrent ? "page" : undefined}>
      <bdi>{person.name}</bdi>
    </a>
  );
}

/** Only when few requests are left: the page of the usage always shows them. */
function RateCorner() {
  const window = findBindingWindow();
  if (window === undefined || window.remaining >= window.limit / 10) return null;
  const { limit, remaining, leftMs } = window;
  return (
    <a href={hrefOf("usage")} class="rate">
      <span class="visually-hidden">{t().rate.label} </span>
      <strong>{formatCount(remaining)}</strong>
      <span class="wide"> {t().rate.of(formatCount(limit))}</span> {t().rate.left}
      <span class="rate-time"> · {formatDuration(leftMs)}</span>
    </a>
  );
}
