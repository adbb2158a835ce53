// Shows the results of the search for everything, in groups. The focus stays in the field: its keys choose and open a result.

import type { Signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Listing } from "../../../client/src/client.ts";
import { Countdown } from "../shared/parts/countdown.tsx";
import { Facts } from "../shared/parts/facts.tsx";
import { Thumbnail } from "../shared/parts/thumbnail.tsx";
import { describeKey } from "../shared/state/names.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf, type PlaceName, type Query } from "../shared/state/place.ts";
import { lastWait } from "../shared/state/waiting.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import type { FoundByKind } from "./read-found.ts";
import { useFound } from "./use-found.ts";

export interface FindResultsProps {
  text: Signal<string>;
  field: RefObject<HTMLInputElement | null>;
  /** The id of the chosen result, which the field refers to. */
  active: Signal<string | undefined>;
  onClose: () => void;
}

interface Result {
  href: string;
  name: string;
  facts: ComponentChildren[];
  picture?: ComponentChildren;
}

interface Group {
  title: string;
  results: Result[];
  /** The address of the whole list, if it has more. */
  all: string | undefined;
}

export function FindResults({ text, field, active, onClose }: FindResultsProps) {
  const { found, isCurrent, failure, isSparing, isUsable, searchNow } = useFound(text);
  const typed = text.value.trim();
  const groups = found === undefined ? [] : groupsOf(found, typed);
  const ids = groups.flatMap(({ results, all }, group) =>
    [...results, ...(all === undefined ? [] : [all])].map((_, at) => idOf(group, at)),
  );

  // Before the next key is pressed.
  useLayoutEffect(() => {
    active.value = ids[0];
  }, [found]);
  useLayoutEffect(() => {
    if (active.value !== undefined)
      document.getElementById(active.value)?.scrollIntoView({ block: "nearest" });
  }, [active.value]);

  useKeys(field, (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.isComposing || (step === 0 && event.key !== "Enter")) return;
    event.preventDefault();
    const at = ids.indexOf(active.value ?? "");
    if (step !== 0) active.value = ids.at((at + step) % Math.max(1, ids.length));
    // Typed faster than the service answers: the first result would be one that nobody meant.
    else if (!isUsable()) searchNow();
    else if (active.value !== undefined) document.getElementById(active.value)?.click();
  });

  return (
    <>
      <p class={failure === undefined ? "quiet find-state" : "failure find-state"} role="status">
        {failure ?? describeState(typed, { isCurrent, isSparing, count: ids.length })}
      </p>
      <Countdown />
      <div
        id="found"
        role="listbox"
        tabIndex={-1}
        aria-label={t().frame.find}
        aria-busy={!isCurrent}
        hidden={ids.length === 0}
      >
        {groups.map((group, index) => (
          <ResultGroup
            key={group.title}
            group={group}
            index={index}
            active={active.value}
            onClose={onClose}
          />
        ))}
      </div>
    </>
  );
}

/** Listens to the field, which is not part of this view. */
function useKeys(field: FindResultsProps["field"], press: (event: KeyboardEvent) => void): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const input = field.current;
    const listen = (event: KeyboardEvent) => latest.current(event);
    input?.addEventListener("keydown", listen);
    return () => input?.removeEventListener("keydown", listen);
  }, []);
}

function idOf(group: number, at: number): string {
  return `found-${group}-${at}`;
}

interface ResultGroupProps {
  group: Group;
  index: number;
  active: string | undefined;
  onClose: () => void;
}

function ResultGroup({ group: { title, results, all }, index, active, onClose }: ResultGroupProps) {
  const follow = ({ ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    // Otherwise it opens in another tab.
    if (!ctrlKey && !metaKey && !shiftKey) onClose();
  };
  const link = (at: number, href: string, content: ComponentChildren) => {
    const id = idOf(index, at);
    return (
      <a
        key={id}
        id={id}
        href={href}
        role="option"
        tabIndex={-1}
        aria-selected={id === active}
        onClick={follow}
      >
        {content}
      </a>
    );
  };
  return (
    <fieldset aria-label={title}>
      <p class="find-kind" aria-hidden="true">
        {title}
      </p>
      {results.map(({ href, name, facts, picture }, at) =>
        link(
          at,
          href,
          <>
            {picture}
            <span class="line-words">
              <bdi>{name}</bdi>
              <small>
                <Facts facts={facts} />
              </small>
            </span>
          </>,
        ),
      )}
      {all !== undefined && link(results.length, all, later().find.all(title))}
    </fieldset>
  );
}

interface State {
  isCurrent: boolean;
  isSparing: boolean;
  count: number;
}

function describeState(text: string, { isCurrent, isSparing, count }: State): ComponentChildren {
  const texts = later().find;
  if (text === "") return texts.hint(listKinds());
  if (isSparing) return texts.sparing;
  if (!isCurrent) return lastWait.value === undefined ? t().common.loading : "";
  return count === 0 ? texts.nothing(text) : <span class="find-keys">{texts.keys}</span>;
}

/** What the key may search. */
function listKinds(): string {
  const names = t().placeNames;
  const kinds = [
    names.animals,
    isAllowed("listOrders") && names.orders,
    isAllowed("listPeople") && names.people,
    isAllowed("listKeys") && names.keys,
  ];
  return kinds.filter(Boolean).join(", ");
}

/** Without the kinds of which nothing was found. */
function groupsOf({ animals, orders, people, keys }: FoundByKind, q: string): Group[] {
  const group = (place: PlaceName, results: Result[] = [], hasMore = false, query: Query = {}) => ({
    title: t().placeNames[place],
    results,
    all: hasMore ? hrefOf(place, undefined, { q, ...query }) : undefined,
  });
  return [
    group("animals", animals?.items.map(describeAnimal), animals?.hasMore),
    group("orders", orders?.items.map(describeOrder), orders?.hasMore, { status: "all" }),
    group("people", people?.items.map(describePerson), people?.hasMore),
    group("keys", keys?.items.map(describeFoundKey), keys?.hasMore),
  ].filter(({ results }) => results.length > 0);
}

function describeAnimal(animal: Listing): Result {
  const { id, name, status, profile, categoryName } = animal;
  const kind =
    profile.breeds?.join(" × ") || (profile.species && t().species[profile.species]) || categoryName;
  return {
    href: hrefOf("animals", String(id)),
    name,
    facts: [t().petStatus[status], kind, t().common.numbered(String(id))],
    picture: <Thumbnail animal={animal} />,
  };
}

type Items<K extends keyof FoundByKind> =
  NonNullable<FoundByKind[K]> extends { items: Array<infer T> } ? T : never;

/** Leads to the adoptions of the animal, with their next steps. */
function describeOrder({ id, pet, petId, status, reference }: Items<"orders">): Result {
  return {
    href: hrefOf("orders", undefined, { petId: String(petId) }),
    name: pet?.name ?? t().orders.deletedPet(String(petId)),
    facts: [t().orders.number(String(id)), t().orderStatus[status], reference],
  };
}

function describePerson({ id, name, access, status }: Items<"people">): Result {
  return {
    href: hrefOf("people", String(id)),
    name,
    facts: [t().keys.levels[access], status === "ended" && later().people.states.ended],
  };
}

function describeFoundKey(found: Items<"keys">): Result {
  const { id, hint } = found;
  return {
    href: hrefOf("keys", String(id)),
    name: describeKey(found),
    facts: [hint && `${hint}…`, t().common.numbered(String(id))],
  };
}
