// Sentences for the changes in the history of an animal.

import type { Change, Int64, OrderStatus, PetStatus, Profile } from "../../../../client/src/client.ts";
import { categoryName } from "../../shared/state/category-names.ts";
import { shelterName } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import type { Sentence } from "../../shared/texts/say.ts";
import { changedMembers, toFields } from "../profile/profile-fields.ts";
import { describeMember, labelOf } from "../profile/profile-words.ts";

export function describeChange(change: Change, author: Sentence): Sentence {
  const texts = later().history;
  const { what, orderId, to } = change;
  const order = String(orderId ?? "");
  switch (what) {
    case "pet.created":
      return texts.created(author);
    case "pet.deleted":
      return texts.deleted(author);
    case "order.created":
      return texts.ordered(author, order);
    case "order.updated":
      return texts.orderMoved(author, order, t().orderStatus[to?.status as OrderStatus]);
    case "listing.updated":
      return describeListing(author, change);
    default:
      return describePet(change, author);
  }
}

/** One change can concern several members. */
function describePet({ from, to }: Change, author: Sentence): Sentence {
  const texts = later().history;
  const sentences: Sentence[] = [];
  if (from?.status !== to?.status) {
    const [before, after] = [from?.status, to?.status].map((status) => t().petStatus[status as PetStatus]);
    sentences.push(texts.moved(author, before ?? "", after ?? ""));
  }
  if (from?.name !== to?.name) sentences.push(texts.renamed(author, from?.name ?? "", to?.name ?? ""));
  const [before, after] = [from?.categoryId ?? 0, to?.categoryId ?? 0];
  if (String(before) !== String(after))
    sentences.push(texts.recategorised(author, nameCategory(before), nameCategory(after)));
  return sentences.flatMap((sentence, index) => (index === 0 ? [sentence] : [" ", sentence]));
}

function nameCategory(id: Int64): string {
  return categoryName(id) ?? String(id);
}

/** A move to another shelter, the names of the changed parts of the profile, or that the photos were changed. */
function describeListing(author: Sentence, change: Change): Sentence {
  const [before, after] = [change.from?.shelterId, change.to?.shelterId];
  if (before !== undefined && after !== undefined)
    return later().history.relocated(author, shelterName(before), shelterName(after));
  const changed = listProfileChanges(change);
  if (changed.length === 0) return later().history.photos(author);
  const named = changed.slice(0, NAMED_MAX).map(({ label }) => label);
  const rest = changed.length - named.length;
  if (rest > 0) named.push(later().history.andMore(rest));
  return later().history.profile(author, named.join(", "));
}

/** Members that a sentence names. */
const NAMED_MAX = 4;

/** Changes of photos by the same key, one after another: they come in series, and each says the same. */
export function groupPhotoChanges(changes: Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const isSame = String(group?.[0]?.keyId) === String(change.keyId);
    if (group?.[0] && isSame && isOfPhotos(group[0]) && isOfPhotos(change)) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function isOfPhotos(change: Change): boolean {
  const isMove = change.from?.shelterId !== undefined && change.to?.shelterId !== undefined;
  return change.what === "listing.updated" && !isMove && listProfileChanges(change).length === 0;
}

export interface ProfileChange {
  label: string;
  before: string;
  after: string;
}

export function listProfileChanges({ what, from, to }: Change): ProfileChange[] {
  if (what !== "listing.updated") return [];
  const [old, fresh] = [toFields(from?.profile ?? {}), toFields(to?.profile ?? {})];
  const members = changedMembers(old, fresh).map((member) => ({
    label: labelOf(member),
    before: describeMember(member, old),
    after: describeMember(member, fresh),
  }));
  return [...members, ...listCustomChanges(from?.profile, to?.profile)];
}

function listCustomChanges(from: Profile = {}, to: Profile = {}): ProfileChange[] {
  const old = new Map(Object.entries(from.custom ?? {}));
  const fresh = new Map(Object.entries(to.custom ?? {}));
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((label) => ({ label, before: old.get(label) ?? "", after: fresh.get(label) ?? "" }))
    .filter(({ before, after }) => before !== after);
}
