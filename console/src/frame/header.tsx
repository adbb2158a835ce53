// The header of every page: the store in its own colour, the places, and the way out.

import { FindButton } from "../find/find.tsx";
import { Button } from "../shared/parts/button.tsx";
import { Mark } from "../shared/parts/mark.tsx";
import { brandColours, brandName } from "../shared/state/brand.ts";
import { formatCount, formatDuration } from "../shared/state/format.ts";
import { openOrders } from "../shared/state/open-orders.ts";
import { hrefOf, offeredPlaces, type PlaceName } from "../shared/state/place.ts";
import { findBindingWindow } from "../shared/state/rate-now.ts";
import { session, signOut } from "../shared/state/session.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { nameOfPlace } from "./place-name.ts";

/** What people do every day; the other places are settings and tools. */
const DAILY: readonly PlaceName[] = ["today", "animals", "orders"];

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
          <Button label={t().frame.signOut} onClick={() => signOut()} />
        </div>
      </div>
      <nav aria-label={t().frame.places}>
        {navigation().map((name) => (
          <a
            key={name}
            href={hrefOf(name)}
            class={DAILY.includes(name) ? "daily" : undefined}
            aria-current={name === current ? "page" : undefined}
            aria-description={name === "orders" ? describeOpen() : undefined}
          >
            {nameOfPlace(name)}
            {name === "orders" && <OpenOrders />}
          </a>
        ))}
      </nav>
    </header>
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

/** A single shelter and the public pages are settings, and have their links in the footer; the account has one above. */
function navigation(): PlaceName[] {
  return offeredPlaces()
    .map(({ name }) => name)
    .filter((name) => name !== "site" && name !== "account" && (name !== "shelters" || hasSeveralShelters()));
}

/** Read out after the name of the place. */
function describeOpen(): string | undefined {
  const count = openOrders.value ?? 0;
  return count > 0 ? `${t().orders.open}: ${formatCount(count)}` : undefined;
}

/** A number only where something waits. */
function OpenOrders() {
  const count = openOrders.value ?? 0;
  if (count === 0) return null;
  return (
    <span class="badge-count" aria-hidden="true">
      {formatCount(count)}
    </span>
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
