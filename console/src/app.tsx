// The frame of the console: the sign-in form, or the navigation with the current place.

import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Animals } from "./animals/list/animals.tsx";
import type { ExportAnimals } from "./animals/list/export-animals.ts";
import { Find } from "./find/find.tsx";
import { BottomBar } from "./frame/bottom-bar.tsx";
import { PageFooter } from "./frame/footer.tsx";
import { Header } from "./frame/header.tsx";
import { nameOfPlace } from "./frame/place-name.ts";
import { Unnamed } from "./people/unnamed.tsx";
import { Button } from "./shared/parts/button.tsx";
import { Countdown } from "./shared/parts/countdown.tsx";
import { NoticeList } from "./shared/parts/notice-list.tsx";
import { onDemand } from "./shared/parts/on-demand.tsx";
import { nameTab } from "./shared/state/brand.ts";
import { loadPart } from "./shared/state/load-part.ts";
import { isAllowed } from "./shared/state/permissions.ts";
import { currentId, currentPlace, IMPORT_ID, offeredPlaces, type PlaceName } from "./shared/state/place.ts";
import { leftAt, scrollWhenLongEnough } from "./shared/state/scroll-memory.ts";
import { resumedKey, session } from "./shared/state/session.ts";
import { isNarrow } from "./shared/state/viewport.ts";
import { t } from "./shared/texts/language.ts";
import { Join } from "./sign-in/join.tsx";
import { joinCode } from "./sign-in/join-code.ts";
import { SignIn } from "./sign-in/sign-in.tsx";
import { Today } from "./today/today.tsx";

const others = () => import("./lazy-views.ts");

const Animal = onDemand(async () => (await others()).Animal);
const exportAnimals: ExportAnimals = async (...list) => (await loadPart(others)).exportAnimals(...list);
const loadSamples = async () => (await loadPart(others)).loadSamples();
const loadDoneReader = async () => (await loadPart(others)).createDoneReader();
const FindResults = onDemand(async () => (await others()).FindResults);
const NameYourself = onDemand(async () => (await others()).NameYourself);
const Import = onDemand(async () => (await others()).Import);

/** A place with an id in its address shows one thing instead of the list. */
const PAGES: Partial<Record<PlaceName, (props: { id: string }) => preact.JSX.Element>> = {
  animals: ({ id }) => (id === IMPORT_ID && isAllowed("importAnimals") ? <Import /> : <Animal id={id} />),
  people: onDemand(async () => (await others()).Person),
  keys: onDemand(async () => (await others()).Key),
  shelters: onDemand(async () => (await others()).Shelter),
  webhooks: onDemand(async () => (await others()).Webhook),
};

const VIEWS: Record<PlaceName, ComponentType> = {
  today: () => <Today loadReader={loadDoneReader} />,
  animals: () => <Animals exportAnimals={exportAnimals} loadSamples={loadSamples} />,
  orders: onDemand(async () => (await others()).Orders),
  categories: onDemand(async () => (await others()).Categories),
  shelters: onDemand(async () => (await others()).Shelters),
  site: onDemand(async () => (await others()).Site),
  webhooks: onDemand(async () => (await others()).Webhooks),
  people: onDemand(async () => (await others()).People),
  keys: onDemand(async () => (await others()).Keys),
  audit: onDemand(async () => (await others()).Audit),
  usage: onDemand(async () => (await others()).UsageView),
  account: onDemand(async () => (await others()).Account),
};

export function App() {
  return (
    <>
      {resumedKey.value !== undefined ? (
        <>
          <Countdown />
          <main>
            <p class="quiet">{t().common.loading}</p>
          </main>
        </>
      ) : joinCode.value !== undefined ? (
        <>
          <Join key={joinCode.value} code={joinCode.value} />
          <PageFooter />
        </>
      ) : session.value !== undefined ? (
        <SignedIn />
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
  const title = nameOfPlace(place);
  const left = leftAt.value;

  useEffect(() => {
    nameTab(title);
    // A change of place moves the focus to its start; the first render does not.
    if (shown.current !== shownNow) {
      main.current?.focus({ preventScroll: true });
      // The navigation stays in view; the focus alone would scroll it away.
      if (left === undefined) scrollTo(0, 0);
    }
    shown.current = shownNow;
  }, [shownNow, title]);
  useEffect(() => left && scrollWhenLongEnough(left.top), [left]);

  return (
    <>
      <Button kind="skip" label={t().frame.skip} onClick={() => main.current?.focus()} />
      <Header current={place} />
      <main ref={main} tabIndex={-1}>
        {shownNow === offeredPlaces()[0]?.name && <Unnamed Dialog={NameYourself} mayPutOff />}
        {One !== undefined && id !== undefined ? <One id={id} /> : <View />}
      </main>
      <Countdown />
      {isNarrow.value ? <BottomBar current={place} /> : <PageFooter />}
      <Find Results={FindResults} />
    </>
  );
}
