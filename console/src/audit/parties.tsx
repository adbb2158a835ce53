// The words for who changed something and for what was changed, with the address of its page if it has one.

import type { AuditActor, AuditRecord, Int64 } from "../../../client/src/client.ts";
import { keyName, OPERATOR_KEY_ID, personName } from "../shared/state/names.ts";
import { hrefOf } from "../shared/state/place.ts";
import { shelterName } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import type { Sentence } from "../shared/texts/say.ts";
import { SERVICE_COMMAND } from "./audit-filter.ts";

export interface Party {
  words: Sentence;
  href?: string;
}

export function PartyLink({ party: { words, href } }: { party: Party }) {
  return href === undefined ? words : <a href={href}>{words}</a>;
}

export function actorOf({ actor: { keyId, person, command } }: { actor: AuditActor }): Party {
  if (person !== undefined) return personOf(person.id, person.name);
  if (keyId !== undefined) return keyOf(keyId);
  if (command === SERVICE_COMMAND) return { words: later().audit.service };
  return { words: later().audit.command(<code>{command}</code>) };
}

export function targetOf({ action, target }: AuditRecord): Party {
  const texts = later().audit;
  if (target?.keyId !== undefined) return keyOf(target.keyId);
  if (target?.personId !== undefined) return personOf(target.personId);
  if (target?.invitationId !== undefined) return { words: texts.invitation(String(target.invitationId)) };
  if (target?.shelterId !== undefined) return { words: <bdi>{shelterName(target.shelterId)}</bdi> };
  if (target?.webhookId !== undefined) return webhookOf(String(target.webhookId));
  if (target?.file !== undefined) return { words: <bdi>{target.file}</bdi> };
  if (action === "site.updated") return { words: later().site.state };
  return { words: action === "data.imported" ? texts.upload : texts.wholeStore };
}

function keyOf(keyId: Int64): Party {
  const id = String(keyId);
  if (id === OPERATOR_KEY_ID) return { words: t().common.operatorKey };
  const name = keyName(keyId);
  const words = name === undefined ? t().common.keyNumbered(id) : later().audit.namedKey(name, id);
  return { words, href: hrefOf("keys", id) };
}

function personOf(id: Int64, name = personName(id)): Party {
  return { words: name ?? later().audit.person(String(id)), href: hrefOf("people", String(id)) };
}

function webhookOf(id: string): Party {
  return { words: later().audit.webhook(id), href: hrefOf("webhooks", id) };
}
