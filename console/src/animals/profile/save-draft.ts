// Saves the draft of a section: only what was changed in it, and only while nobody else has changed the same.

import { etagOf, type Int64, type Listing, PreconditionFailedError } from "../../../../client/src/client.ts";
import { ATTEMPTS_MAX } from "../../shared/state/changed-by-others.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { type AnimalPatch, type MemberName, mergeFields, pickMember, toPatch } from "./profile-fields.ts";
import type { SectionDraft } from "./use-section-draft.ts";

/** The animal itself and its profile are changed by two operations. */
const OF_ANIMAL: readonly MemberName[] = ["name", "categoryId"];

interface SaveOptions {
  signal: AbortSignal;
  /** Throws with the message while the user has to choose between two entries. */
  requireChoices: (message: string) => void;
}

/** Resolves to the animal as it was stored last. There must be something to save. */
export async function saveDraft(draft: SectionDraft, options: SaveOptions): Promise<Listing> {
  const changed = draft.changed();
  const parts = [
    changed.filter((member) => OF_ANIMAL.includes(member)),
    changed.filter((member) => !OF_ANIMAL.includes(member)),
  ];
  for (const part of parts) if (part.length > 0) await savePart(draft, part, options);
  return draft.known();
}

async function savePart(draft: SectionDraft, members: MemberName[], options: SaveOptions): Promise<void> {
  const { signal, requireChoices } = options;
  const id = draft.known().id;
  let before = draft.base();
  let sent = Object.assign({ ...before }, ...members.map((member) => pickMember(member, draft.fields())));
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const patch = toPatch(before, sent);
    // Others have made the same change.
    if (Object.keys(patch).length === 0) return;
    try {
      const fresh = await send(id, patch, { signal, ifMatch: etagOf(draft.known()) });
      return draft.markSaved({ before, sent, fresh });
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
    draft.takeOver(await readListing(id, signal));
    requireChoices(later().animal.changedMeanwhile);
    // Others have changed something else, perhaps a photo: no reason to ask.
    sent = mergeFields(before, sent, draft.base()).draft;
    before = draft.base();
  }
  throw new Error(later().animal.changedMeanwhile);
}

interface SendOptions {
  signal: AbortSignal;
  ifMatch: string | undefined;
}

async function send(id: Int64, patch: AnimalPatch, options: SendOptions): Promise<Listing> {
  const { name, categoryId, ...profile } = patch;
  if (Object.keys(profile).length > 0) return ask((client) => client.updateProfile(id, profile, options));
  if ("categoryId" in patch && categoryId === undefined) throw new Error(t().common.enterNumber);
  const changes = { ...(name !== undefined && { name }), ...(categoryId !== undefined && { categoryId }) };
  await ask((client) => client.updatePet(id, changes, options));
  return readListing(id, options.signal);
}

function readListing(id: Int64, signal: AbortSignal): Promise<Listing> {
  return ask((client) => client.getListing(id, { signal }));
}
