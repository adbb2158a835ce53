// Sentences for the changes in the history of an animal.

import type { Change, OrderStatus, PetStatus, Profile } from "../../../client/src/client.ts";
import { categoryName } from "../state/category-names.ts";
import { t } from "../texts/language.ts";
import type { Sentence } from "../texts/say.ts";
import { type FieldName, toFields } from "./profile-fields.ts";

export function describeChange(change: Change, author: Sentence): Sentence {
  const texts = t().history;
  const { what, orderId, from, to } = change;
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
      return describeListing(author, from?.profile, to?.profile);
    default:
      return describePet(change, author);
  }
}

function describePet({ from, to }: Change, author: Sentence): Sentence {
  const texts = t().history;
  if (from?.status !== to?.status) {
    const [before, after] = [from?.status, to?.status].map((status) => t().petStatus[status as PetStatus]);
    return texts.moved(author, before ?? "", after ?? "");
  }
  if (from?.name !== to?.name) return texts.renamed(author, from?.name ?? "", to?.name ?? "");
  const category = to?.categoryId ?? 0;
  return texts.recategorised(author, categoryName(category) ?? String(category));
}

/** The names of the changed parts of the profile, or that the photos were changed. */
function describeListing(author: Sentence, before: Profile = {}, after: Profile = {}): Sentence {
  const [old, fresh] = [toFields(before), toFields(after)];
  const changed = (Object.keys(fresh) as FieldName[]).filter((field) => old[field] !== fresh[field]);
  if (changed.length === 0) return t().history.photos(author);
  return t().history.profile(author, changed.map((field) => t().profile[field]).join(", "));
}
