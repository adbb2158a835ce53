// The draft of a shelter's form, beside the changes that others store at the same time.

import { useSignal } from "@preact/signals";
import { etagOf, PreconditionFailedError, type Shelter } from "../../../client/src/client.ts";
import type { ConflictProps, Keep } from "../shared/parts/conflict.tsx";
import { ATTEMPTS_MAX } from "../shared/state/changed-by-others.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { type FieldName, mergeFields, type ShelterFields, toFields, toPatch } from "./shelter-fields.ts";

interface OpenConflict {
  name: FieldName;
  mine: string;
  choice: Keep | undefined;
}

interface ShelterDraft {
  fields: () => ShelterFields;
  input: (changes: Partial<ShelterFields>) => void;
  isChanged: () => boolean;
  /** Shows what others have changed, and keeps what was typed. */
  takeOver: (fresh: Shelter) => void;
  /** Undefined if nothing was changed. Throws while a choice is missing. */
  save: (signal: AbortSignal) => Promise<Shelter | undefined>;
  conflicts: () => ConflictProps[];
}

export function useShelterDraft(shelter: Shelter): ShelterDraft {
  /** The very object of a response: the client knows its ETag, and of no copy. */
  const known = useSignal(shelter);
  const draft = useSignal(toFields(shelter));
  const open = useSignal<OpenConflict[]>([]);
  const changes = () => toPatch(toFields(known.value), draft.value);
  const isChanged = () => Object.keys(changes()).length > 0;

  function takeOver(fresh: Shelter): void {
    const merged = mergeFields(toFields(known.value), draft.value, toFields(fresh));
    // A newer value of others is a new question, also where the last one was answered.
    const others = open.value.filter(({ name }) => !merged.conflicts.includes(name));
    const asked = merged.conflicts.map((name) => ({ name, mine: draft.value[name], choice: undefined }));
    open.value = [...others, ...asked];
    known.value = fresh;
    draft.value = merged.draft;
  }

  function requireChoices(): void {
    if (open.value.some(({ choice }) => choice === undefined)) throw new Error(t().conflict.choose);
  }

  async function save(signal: AbortSignal): Promise<Shelter | undefined> {
    requireChoices();
    for (let attempt = 1; isChanged(); attempt++) {
      const sent = draft.value;
      const options = { signal, ifMatch: etagOf(known.value) };
      try {
        const saved = await ask((client) => client.updateShelter(shelter.id, changes(), options));
        // Keeps text that was typed while the request ran.
        draft.value = mergeFields(sent, draft.value, toFields(saved)).draft;
        known.value = saved;
        open.value = [];
        return saved;
      } catch (error) {
        if (!(error instanceof PreconditionFailedError) || attempt === ATTEMPTS_MAX) throw error;
      }
      takeOver(await ask((client) => client.getShelter(shelter.id, { signal })));
      requireChoices();
    }
    return undefined;
  }

  function choose(conflict: OpenConflict, choice: Keep): void {
    const { name, mine } = conflict;
    draft.value = { ...draft.value, [name]: choice === "mine" ? mine : toFields(known.value)[name] };
    open.value = open.value.map((each) => (each === conflict ? { ...conflict, choice } : each));
  }

  return {
    fields: () => draft.value,
    input: (typed) => {
      draft.value = { ...draft.value, ...typed };
    },
    isChanged,
    takeOver,
    save,
    conflicts: () =>
      open.value.map((conflict) => ({
        label: t().shelters.fields[conflict.name],
        mine: conflict.mine,
        theirs: toFields(known.value)[conflict.name],
        choice: conflict.choice,
        canKeepBoth: false,
        onChoose: (choice) => choose(conflict, choice),
      })),
  };
}
