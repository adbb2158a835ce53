// The filters of the audit log. They are in the address, so that going back, reloading and sharing it keep them.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { plain } from "../../../src/domain/basics/text.ts";
import { readDirectory } from "../people/read-directory.ts";
import { Button } from "../shared/parts/button.tsx";
import { Choice, Field } from "../shared/parts/field.tsx";
import { Filters } from "../shared/parts/filters.tsx";
import { OPERATOR_KEY_ID } from "../shared/state/names.ts";
import { setFilter } from "../shared/state/place.ts";
import { isNarrow } from "../shared/state/viewport.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { type AuditFilter, COMMANDS, countSet, SERVICE } from "./audit-filter.ts";

type Option = readonly [value: string, text: string];

export function AuditFilters({ filter }: { filter: AuditFilter }) {
  const { by, action, from, until } = filter;
  const named = useActors();
  const texts = later().audit;
  const others: Option[] = [
    [`key-${OPERATOR_KEY_ID}`, t().common.operatorKey],
    [COMMANDS, texts.anyCommand],
    [SERVICE, texts.service],
  ];
  const actors: Option[] = [["", texts.anyone], ...named.value, ...others];
  const fields = (
    <>
      <Choice
        label={texts.actor}
        choices={withUnknown(actors, by)}
        value={by ?? ""}
        onChange={({ currentTarget: { value } }) => setFilter({ by: value })}
      />
      <Choice
        label={texts.what}
        choices={[["", texts.anything], ...Object.entries(texts.actions)]}
        value={action ?? ""}
        onChange={({ currentTarget: { value } }) => setFilter({ action: value })}
      />
      <Day name="from" label={texts.from} value={from} max={until} />
      <Day name="until" label={texts.until} value={until} min={from} />
    </>
  );
  if (isNarrow.value) {
    return (
      <Filters search={null} status={null} count={countSet(filter)} onClear={clearFilter}>
        {fields}
      </Filters>
    );
  }
  return (
    <search class="tools narrow">
      {fields}
      {countSet(filter) > 0 && <Button label={t().filters.clear} onClick={clearFilter} />}
    </search>
  );
}

function clearFilter(): void {
  setFilter({ by: undefined, action: undefined, from: undefined, until: undefined });
}

interface DayProps {
  name: "from" | "until";
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
}

/** A day that is typed changes with every digit: only the first of these changes is a step of the history. */
function Day({ name, label, value = "", ...limits }: DayProps) {
  return (
    <Field
      type="date"
      label={label}
      value={value}
      {...limits}
      onChange={({ currentTarget }) =>
        setFilter({ [name]: currentTarget.value }, { isReplacing: value !== "" })
      }
    />
  );
}

/** People, and the keys that belong to nobody. Optional: without them, the others can still be chosen. */
function useActors(): Signal<Option[]> {
  const actors = useSignal<Option[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    const directory = readDirectory(ended.signal);
    Promise.all([directory.people, directory.keys]).then(
      ([people, keys]) => {
        actors.value = [
          ...people.map(({ id, name }) => [`person-${id}`, plain(name)] as const),
          ...keys
            .filter(({ person }) => person === undefined)
            .map(
              ({ id, name }) => [`key-${id}`, later().audit.namedKeyText(plain(name), String(id))] as const,
            ),
        ];
      },
      () => {},
    );
    return () => ended.abort();
  }, []);
  return actors;
}

/** The address may name someone who is not read yet, or is not among those that are read. */
function withUnknown(options: Option[], by: string | undefined): Option[] {
  if (by === undefined || options.some(([value]) => value === by)) return options;
  const [kind, id = ""] = by.split("-");
  const words: Record<string, string> = {
    person: later().audit.person(id),
    key: t().common.keyNumbered(id),
  };
  return [...options, [by, plain(words[kind ?? ""] ?? by)]];
}
