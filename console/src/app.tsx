// The frame of the console: the sign-in form, or the navigation with the current place.

import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Animals } from "./animals/list/animals.tsx";
import type { ExportAnimals } from "./animals/list/export-animals.ts";
import { Button } from "./shared/parts/button.tsx";
import { Countdown } from "./shared/parts/countdown.tsx";
import { NoticeList } from "./shared/parts/notice-list.tsx";
import { onDemand } from "./shared/parts/on-demand.tsx";
import { addressOf } from "./shared/state/addresses.ts";
import { formatCount, formatDuration } from "./shared/state/format.ts";
import { loadPart } from "./shared/state/load-part.ts";
import { notify } from "./shared/state/notices.ts";
import { mayEditShelter } from "./shared/state/own-shelter.ts";
import {
  currentId,
  currentPlace,
  hrefOf,
  IMPORT_ID,
  offeredPlaces,
  type PlaceName,
} from "./shared/state/place.ts";
import { findBindingWindow } from "./shared/state/rate-now.ts";
import { isAllowed, isResuming, session, signOut } from "./shared/state/session.ts";
import { hasSeveralShelters, isReachable, shelters } from "./shared/state/shelter-list.ts";
import { chooseLanguage, LANGUAGES, type Language, language, t } from "./shared/texts/language.ts";
import { SignIn } from "./sign-in/sign-in.tsx";

const others = () => import("./lazy-views.ts");

const Animal = onDemand(async () => (await others()).Animal);
const exportAnimals: ExportAnimals = async (...list) => (await loadPart(others)).exportAnimals(...list);
const loadSamples = async () => (await loadPart(others)).loadSamples();
const Import = onDemand(async () => (await others()).Import);

/** A place with an id in its address shows one thing instead of the list. */
const PAGES: Partial<Record<PlaceName, (props: { id: string }) => preact.JSX.Element>> = {
  animals: ({ id }) => (id === IMPORT_ID && isAllowed("importAnimals") ? <Import /> : <Animal id={id} />),
  keys: onDemand(async () => (await others()).Key),
  shelters: onDemand(async () => (await others()).Shelter),
};

const VIEWS: Record<PlaceName, ComponentType> = {
  animals: () => <Animals exportAnimals={exportAnimals} loadSamples={loadSamples} />,
  orders: onDemand(async () => (await others()).Orders),
  categories: onDemand(async () => (await others()).Categories),
  shelters: onDemand(async () => (await others()).Shelters),
  site: onDemand(async () => (await others()).Site),
  webhooks: onDemand(async () => (await others()).Webhooks),
  keys: onDemand(async () => (await others()).Keys),
  audit: onDemand(async () => (await others()).Audit),
  usage: onDemand(async () => (await others()).UsageView),
};

export function App() {
  return (
    <>
      {session.value !== undefined ? (
        <SignedIn />
      ) : isResuming.value ? (
        <>
          <Countdown />
          <p class="quiet">{t().common.loading}</p>
        </>
      ) : (
        <>
          <SignIn />
          <PageFooter />
        </>
      )}
      <NoticeList />
    </>
  );
}

function SignedIn() {
  const place = currentPlace();
  const View = VIEWS[place];
  const id = currentId();
  const One = id === undefined ? undefined : PAGES[place];
  const shownNow = One === undefined ? place : `${place}/${id}`;
  const main = useRef<HTMLElement>(null);
  const shown = useRef(shownNow);
  const title = nameOf(place);

  useEffect(() => {
    document.title = `${title} – Animal Store`;
    // A change of place moves the focus to its start; the first render does not.
    if (shown.current !== shownNow) {
      main.current?.focus({ preventScroll: true });
      // The navigation stays in view; the focus alone would scroll it away.
      scrollTo(0, 0);
    }
    shown.current = shownNow;
  }, [shownNow, title]);

  return (
    <>
      <Button kind="skip" label={t().frame.skip} onClick={() => main.current?.focus()} />
      <header class="top">
        <a href="#animals" class="brand">
          Animal Store
        </a>
        <nav aria-label={t().frame.places}>
          {navigation().map(({ name }) => (
            <a key={name} href={hrefOf(name)} aria-current={name === place ? "page" : undefined}>
              {nameOf(name)}
            </a>
          ))}
        </nav>
        <div class="who">
          <RateCorner />
          <Button label={t().frame.signOut} onClick={() => signOut()} />
        </div>
      </header>
      <main ref={main} tabIndex={-1}>
        {One !== undefined && id !== undefined ? <One id={id} /> : <View />}
      </main>
      <Countdown />
      <PageFooter />
    </>
  );
}

/** A single shelter and the public pages are settings, and have their links below. */
function navigation() {
  return offeredPlaces().filter(
    ({ name }) => name !== "site" && (name !== "shelters" || hasSeveralShelters()),
  );
}

function nameOf(place: PlaceName): string {
  return place === "shelters" && !hasSeveralShelters() ? t().shelters.ours : t().placeNames[place];
}

function PageFooter() {
  const choose = (chosen: Language) =>
    chooseLanguage(chosen).catch(() => notify(t().frame.languageFailed, { isFailure: true }));
  return (
    <footer class="bottom">
      <a href={addressOf("docs")}>{t().frame.reference}</a>
      {session.value !== undefined && !hasSeveralShelters() && <OurShelter />}
      {isAllowed("updateSite") && <a href={hrefOf("site")}>{t().placeNames.site}</a>}
      <fieldset class="languages">
        <legend class="visually-hidden">{t().frame.language}</legend>
        {(Object.keys(LANGUAGES) as Language[]).map((each) => (
          <button
            key={each}
            type="button"
            lang={each}
            aria-pressed={each === language.value}
            onClick={() => void choose(each)}
          >
            {LANGUAGES[each]}
          </button>
        ))}
      </fieldset>
    </footer>
  );
}

/** With a hint until people can reach it. */
function OurShelter() {
  const [shelter] = shelters.value?.items ?? [];
  const isToDo = shelter !== undefined && mayEditShelter(shelter) && !isReachable(shelter);
  return (
    <span>
      <a href={hrefOf("shelters")}>{t().shelters.ours}</a>
      {isToDo && ` – ${t().shelters.unfinished}`}
    </span>
  );
}

function RateCorner() {
  const window = findBindingWindow();
  if (window === undefined) return null;
  const { limit, remaining, leftMs } = window;
  const isLow = remaining < limit / 10;
  return (
    <a href="#usage" class={isLow ? "rate low" : "rate"}>
      <span class="visually-hidden">{t().rate.label} </span>
      <strong style={{ minWidth: `${formatCount(limit).length}ch` }}>{formatCount(remaining)}</strong>
      <span class="wide"> {t().rate.of(formatCount(limit))}</span> {t().rate.left}
      <span class="quiet rate-time">{remaining < limit && ` · ${formatDuration(leftMs)}`}</span>
    </a>
  );
}
