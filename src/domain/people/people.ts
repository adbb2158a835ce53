// People, their invitations and devices: issues the codes and keys. Used by the API and by the commands.

import type { Clock } from "../basics/clock.ts";
import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import type { Actor, AuditOrigin } from "../keys/audit.ts";
import type { IssueSecret } from "../keys/issue-secret.ts";
import {
  findInvitationExpiry,
  type Invitation,
  type InvitationFilter,
  type InvitationStore,
  type InvitationWish,
  type Joined,
  LINK_MS,
  readInvitation,
} from "./invitation.ts";
import { generateJoinCode, hashJoinCode } from "./join-code.ts";
import { type Person, type PersonChanges, type PersonStore, revisePerson } from "./person.ts";

/** The name of a key whose device has no label. */
const DEVICE_NAME = "Device";

/** `actor` of a change is for the audit log. A code can be shown only now. */
export interface People {
  list(page: Page): Promise<Person[]>;
  /** These throw `person_not_found`, also for an ended person. */
  update(id: bigint, changes: PersonChanges, actor: Actor): Promise<Person>;
  end(id: bigint, actor: Actor): Promise<Person>;
  listInvitations(filter: InvitationFilter, page: Page): Promise<Invitation[]>;
  /** Throws `invalid_body`, `person_not_found`. */
  invite(wish: InvitationWish, actor: Actor): Promise<{ invitation: Invitation; code: string }>;
  /** Throws `invitation_not_found` for an invitation that is unknown or not open. */
  revokeInvitation(id: bigint, actor: Actor): Promise<void>;
  /** For another device of the key's person. Throws `invalid_api_key` if the key was revoked since the request began. */
  link(keyId: bigint, actor: Actor): Promise<{ code: string; expiresAtMs: number }>;
  /** Throws `invitation_not_found` for a code that opens nothing, without a reason. */
  accept(code: string, device?: string): Promise<Joined & { secret: string }>;
}

interface PeopleOptions {
  people: PersonStore;
  invitations: InvitationStore;
  issueSecret: IssueSecret;
  clock: Clock;
}

export function createPeople({ people, invitations, issueSecret, clock }: PeopleOptions): People {
  function originOf(actor: Actor): AuditOrigin {
    return { actor, atMs: clock.nowMs() };
  }

  return {
    list: people.list,
    update: async (id, changes, actor) =>
      found(await people.update(id, (person) => revisePerson(person, changes), originOf(actor))),
    end: async (id, actor) => found(await people.end(id, originOf(actor))),
    listInvitations: (filter, page) => invitations.list(filter, page, clock.nowMs()),

    async invite({ expiresAtMs, ...wish }, actor) {
      const origin = originOf(actor);
      const wanted = readInvitation(wish);
      const code = generateJoinCode();
      const invitation = await invitations.create(
        wanted,
        hashJoinCode(code),
        (access) => findInvitationExpiry(access, expiresAtMs, origin.atMs),
        origin,
      );
      return { invitation, code };
    },
    async revokeInvitation(id, actor) {
      if (!(await invitations.revoke(id, originOf(actor)))) throw new ServiceError("invitation_not_found");
    },
    async link(keyId, actor) {
      const origin = originOf(actor);
      const expiresAtMs = origin.atMs + LINK_MS;
      const code = generateJoinCode();
      const link = { codeHash: hashJoinCode(code), expiresAtMs };
      if (!(await invitations.createLink(keyId, link, origin))) throw new ServiceError("invalid_api_key");
      return { code, expiresAtMs };
    },
    async accept(code, device = DEVICE_NAME) {
      let secret = "";
      // Not before the code is known to be right: wrong ones would displace the secrets that this node has seen.
      const issue = () => {
        const issued = issueSecret("person");
        secret = issued.secret;
        return issued.stored;
      };
      const wanted = { name: device.trim(), issue, atMs: clock.nowMs() };
      const joined = await invitations.accept(hashJoinCode(code), wanted);
      if (joined === undefined) throw new ServiceError("invitation_not_found");
      return { ...joined, secret };
    },
  };
}

function found(person: Person | undefined): Person {
  if (person === undefined) throw new ServiceError("person_not_found");
  return person;
}
