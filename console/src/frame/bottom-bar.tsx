// The navigation of a phone: the daily places and a new animal, within reach of the thumb. The rest is behind "More".

import { useSignal } from "@preact/signals";
import { AddAnimal } from "../animals/add-animal.tsx";
import { markChanged } from "../shared/state/changes.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf, type PlaceName } from "../shared/state/place.ts";
import { t } from "../shared/texts/language.ts";
import { More } from "./more.tsx";
import { DAILY, describeOpen, listPlaces, OpenOrders } from "./navigation.tsx";
import { nameOfPlace } from "./place-name.ts";

/** Lines in a square of 24 by 24. */
const ICONS = {
  today: "M4 11.5 12 4.5l8 7M6 10v9.5h12V10M10 19.5v-5.5h4v5.5",
  animals:
    "M12 12c-2.9 0-5.2 2.4-5.2 4.9 0 1.7 1.2 2.7 2.7 2.7.9 0 1.6-.4 2.5-.4s1.6.4 2.5.4c1.5 0 2.7-1 2.7-2.7 0-2.5-2.3-4.9-5.2-4.9ZM3.5 11.5a1.6 1.9 0 1 0 3.2 0 1.6 1.9 0 1 0-3.2 0M7.4 6.8a1.6 1.9 0 1 0 3.2 0 1.6 1.9 0 1 0-3.2 0M13.4 6.8a1.6 1.9 0 1 0 3.2 0 1.6 1.9 0 1 0-3.2 0M17.3 11.5a1.6 1.9 0 1 0 3.2 0 1.6 1.9 0 1 0-3.2 0",
  orders:
    "M12 20C6.5 15.5 4 12.6 4 9.4 4 7 5.8 5.2 8 5.2c1.7 0 3.1.9 4 2.5.9-1.6 2.3-2.5 4-2.5 2.2 0 4 1.8 4 4.2 0 3.2-2.5 6.1-8 10.6Z",
  add: "M12 5v14M5 12h14",
  more: "M4.5 7h15M4.5 12h15M4.5 17h15",
} as const;

export function BottomBar({ current }: { current: PlaceName }) {
  const opened = useSignal<"animal" | "more" | undefined>(undefined);
  const close = () => (opened.value = undefined);
  const places = listPlaces().filter((name) => DAILY.includes(name));
  const [before, after] = [places.slice(0, 2), places.slice(2)];
  return (
    <>
      <nav class="places bottom-bar" aria-label={t().frame.places}>
        {before.map((name) => (
          <Place key={name} name={name} current={current} />
        ))}
        {isAllowed("createPet") && (
          <button
            type="button"
            class="add"
            aria-label={t().animals.add}
            aria-haspopup="dialog"
            onClick={() => (opened.value = "animal")}
          >
            <span>
              <Icon name="add" />
            </span>
          </button>
        )}
        {after.map((name) => (
          <Place key={name} name={name} current={current} />
        ))}
        <button
          type="button"
          class={DAILY.includes(current) ? undefined : "current"}
          aria-haspopup="dialog"
          onClick={() => (opened.value = "more")}
        >
          <Icon name="more" />
          <span>{t().frame.more}</span>
        </button>
      </nav>
      {opened.value === "animal" && <AddAnimal onClose={close} onAdded={async () => markChanged()} />}
      {opened.value === "more" && <More current={current} onClose={close} />}
    </>
  );
}

function Place({ name, current }: { name: PlaceName; current: PlaceName }) {
  return (
    <a
      href={hrefOf(name)}
      aria-current={name === current ? "page" : undefined}
      aria-description={describeOpen(name)}
    >
      <Icon name={name as keyof typeof ICONS} />
      <span>{nameOfPlace(name)}</span>
      {name === "orders" && <OpenOrders />}
    </a>
  );
}

function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
