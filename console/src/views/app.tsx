// The frame of the console: the sign-in form, or the navigation with the current place.

import { useEffect, useRef } from "preact/hooks";
import { Countdown } from "../parts/countdown.tsx";
import { NoticeList } from "../parts/notice-list.tsx";
import { RateCorner } from "../parts/rate-corner.tsx";
import { addressOf } from "../state/addresses.ts";
import { currentPlace, offeredPlaces, PLACES, type PlaceName } from "../state/place.ts";
import { isResuming, session, signOut } from "../state/session.ts";
import { Animals } from "./animals.tsx";
import { Audit } from "./audit.tsx";
import { Categories } from "./categories.tsx";
import { Keys } from "./keys.tsx";
import { Orders } from "./orders.tsx";
import { SignIn } from "./sign-in.tsx";
import { UsageView } from "./usage.tsx";
import { Webhooks } from "./webhooks.tsx";

const VIEWS: Record<PlaceName, () => preact.JSX.Element> = {
  animals: Animals,
  orders: Orders,
  categories: Categories,
  webhooks: Webhooks,
  keys: Keys,
  audit: Audit,
  usage: UsageView,
};

export function App() {
  return (
    <>
      {session.value !== undefined ? (
        <SignedIn />
      ) : isResuming.value ? (
        <>
          <Countdown />
          <p class="quiet">Loading…</p>
        </>
      ) : (
        <SignIn />
      )}
      <NoticeList />
    </>
  );
}

function SignedIn() {
  const place = currentPlace();
  const View = VIEWS[place];
  const main = useRef<HTMLElement>(null);
  const shown = useRef(place);

  useEffect(() => {
    document.title = `${PLACES.find(({ name }) => name === place)?.title} – Animal Store`;
    // A change of place moves the focus to its start; the first render does not.
    if (shown.current !== place) main.current?.focus();
    shown.current = place;
  }, [place]);

  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a href="#animals" class="brand">
          Animal Store
        </a>
        <nav aria-label="Places">
          {offeredPlaces().map(({ name, title }) => (
            <a key={name} href={`#${name}`} aria-current={name === place ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <div class="who">
          <RateCorner />
          <button type="button" onClick={() => signOut()}>
            Sign out
          </button>
        </div>
      </header>
      <Countdown />
      <main ref={main} tabIndex={-1}>
        <View />
      </main>
      <footer class="bottom">
        <a href={addressOf("docs")}>API reference</a>
      </footer>
    </>
  );
}
