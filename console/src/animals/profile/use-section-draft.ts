// The draft of a section of an animal's page, beside the changes that others store at the same time.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Listing } from "../../../../client/src/client.ts";
import type { ConflictProps, Keep } from "../../shared/parts/conflict.tsx";
import {
  changedMembers,
  combineTexts,
  type FieldName,
  type MemberName,
  mergeFields,
  type ProfileFields,
  pickMember,
  toFields,
} from "./profile-fields.ts";
import { describeMember, labelOf } from "./profile-words.ts";

interface OpenConflict {
  member: MemberName;
  choice: Keep | undefined;
  /** The own entry, while the form shows another one. */
  mine?: Partial<ProfileFields>;
}

/** What was typed into a section that was closed without saving it. */
export interface KeptDraft {
  listing: Listing;
  fields: ProfileFields;
}

export interface SectionDraft {
  /** The listing that the form was last compared with. */
  known: () => Listing;
  base: () => ProfileFields;
  fields: () => ProfileFields;
  input: (field: FieldName, value: string) => void;
  changed: () => MemberName[];
  conflicts: () => Array<ConflictProps & { member: MemberName }>;
  /** Members that others have changed since something was typed, and that have no conflict. */
  taken: () => MemberName[];
  /** Shows what others have changed, and keeps what was typed. */
  takeOver: (fresh: Listing) => void;
  /** Called when `sent` was stored as a change of `before`. */
  markSaved: (saved: { before: ProfileFields; sent: ProfileFields; fresh: Listing }) => void;
  /** All choices are made, and nothing is left to be saved. */
  clear: () => void;
}

/** Concerns `members` alone. Starts with what was kept, if anything was. */
export function useSectionDraft(
  listing: Listing,
  members: readonly MemberName[],
  kept: KeptDraft = { listing, fields: fieldsOf(listing) },
): SectionDraft {
  const known = useRef(kept.listing);
  const base = useSignal(fieldsOf(kept.listing));
  const draft = useSignal(kept.fields);
  const conflicts = useSignal<OpenConflict[]>([]);
  const taken = useSignal<MemberName[]>([]);
  const isOwn = (member: MemberName) => members.includes(member);
  const changed = () => changedMembers(base.value, draft.value).filter(isOwn);

  function takeOver(fresh: Listing): void {
    const fields = fieldsOf(fresh);
    const merged = mergeFields(base.value, draft.value, fields);
    if (changed().length > 0) taken.value = [...new Set([...taken.value, ...merged.taken.filter(isOwn)])];
    // A newer value of others is a new question, also where the last one was answered.
    const others = conflicts.value.filter(({ member }) => !merged.conflicts.includes(member));
    conflicts.value = [...others, ...merged.conflicts.map((member) => ({ member, choice: undefined }))];
    known.current = fresh;
    base.value = fields;
    draft.value = merged.draft;
  }

  function markSaved({ before, sent, fresh }: Parameters<SectionDraft["markSaved"]>[0]): void {
    // Keeps text that was typed while the request ran, as a change of what is stored now.
    base.value = mergeFields(before, sent, base.value).draft;
    takeOver(fresh);
    // The service stores some texts in another form, for example a currency in capitals. That is no conflict. If others
    // have stored something since, the next listing has it.
    clear();
  }

  function clear(): void {
    conflicts.value = [];
    taken.value = [];
  }

  function choose(conflict: OpenConflict, choice: Keep): void {
    const { member } = conflict;
    const mine = pickMember(member, mineOf(conflict, draft.value));
    const both = { [member]: combineTexts(member, mine[member] ?? "", base.value[member]) };
    const chosen = { mine, theirs: pickMember(member, base.value), both }[choice];
    draft.value = { ...draft.value, ...chosen };
    conflicts.value = conflicts.value.map((each) => (each === conflict ? { member, choice, mine } : each));
  }

  return {
    known: () => known.current,
    base: () => base.value,
    fields: () => draft.value,
    input: (field, value) => {
      draft.value = { ...draft.value, [field]: value };
    },
    changed,
    // Typing the value of the others ends the conflict.
    conflicts: () =>
      conflicts.value
        .filter(({ member, choice }) => choice !== undefined || changed().includes(member))
        .map((conflict) => ({
          ...describeConflict(conflict, mineOf(conflict, draft.value), base.value),
          onChoose: (choice) => choose(conflict, choice),
        })),
    taken: () => taken.value,
    takeOver,
    markSaved,
    clear,
  };
}

/** The own entries, also while the form shows another one. */
function mineOf({ choice, mine }: OpenConflict, draft: ProfileFields): ProfileFields {
  const isShown = choice === undefined || choice === "mine";
  return isShown ? draft : { ...draft, ...mine };
}

function describeConflict({ member, choice }: OpenConflict, mine: ProfileFields, theirs: ProfileFields) {
  return {
    member,
    choice,
    label: labelOf(member),
    mine: describeMember(member, mine),
    theirs: describeMember(member, theirs),
    canKeepBoth: combineTexts(member, mine[member], theirs[member]) !== undefined,
  };
}

function fieldsOf(listing: Listing): ProfileFields {
  return toFields(listing.profile, listing);
}
