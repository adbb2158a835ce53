// People in SQL. A change of a person also changes the keys of their devices, in the same transaction.

import { ADMIN_INVITATION_MS } from "../../../domain/people/invitation.ts";
import { auditPersonEnd, auditPersonUpdate } from "../../../domain/people/people-audit.ts";
import type { Person, PersonSettings, PersonStore } from "../../../domain/people/person.ts";
import { requireShelter } from "../../../domain/shelters/shelter.ts";
import type { Database, Queries, Row, Transaction } from "../../database.ts";
import { TABLES, toObject } from "../../tables.ts";
import { bumpKeyVersions } from "../basics/versions.ts";
import type { KeyListener } from "../keys/api-keys.ts";
import { recordAudit } from "../keys/audit.ts";
import { lockShelter } from "../shelters/shelters.ts";
import { revokeInvitations } from "./open-invitations.ts";

const COLUMNS = `${TABLES.people}, devices, last_used_at_ms`;
const OF_DEVICES = "FROM api_keys WHERE person_id = people.id";
/** With what their keys say. */
const SELECT = `SELECT ${TABLES.people},
  (SELECT count(*) ${OF_DEVICES} AND revoked_at_ms IS NULL) AS devices,
  (SELECT max(last_used_at_ms) ${OF_DEVICES}) AS last_used_at_ms FROM people`;
const ACTIVE_KEYS = "person_id = $1 AND revoked_at_ms IS NULL";

interface PersonChange {
  person: Person | undefined;
  /** The keys that changed too. */
  keyIds: bigint[];
}

/** `changed` is called for every key that has changed. */
export function createPersonStore(db: Database, changed: KeyListener = async () => {}): PersonStore {
  /** The work has changed the keys, and not yet recorded the change in the audit log. */
  async function change(
    work: (tx: Transaction) => Promise<PersonChange & { record: () => Promise<void> }>,
  ): Promise<Person | undefined> {
    const { person, keys } = await db.transaction(async (tx) => {
      const done = await work(tx);
      const versions = await bumpKeyVersions(tx, done.keyIds);
      await done.record();
      return { person: done.person, keys: versions };
    });
    await Promise.all(keys.map(({ id, version }) => changed(id, version)));
    return person;
  }

  return {
    async list({ limit, after = 0n }) {
      const rows = await db.all(`${SELECT} WHERE id > $1 ORDER BY id LIMIT $2`, [after, limit]);
      return rows.map(toPerson);
    },

    update: (id, revise, origin) =>
      change(async (tx) => {
        const before = await lockPerson(tx, id);
        if (before === undefined) return UNCHANGED;
        const settings = revise(before);
        const record = auditPersonUpdate(before, settings);
        if (record === undefined) return { ...UNCHANGED, person: before };
        return {
          person: { ...before, ...settings },
          keyIds: await writeSettings(tx, before, settings),
          record: () => recordAudit(tx, { ...record, ...origin, target: { personId: id } }),
        };
      }),

    end: (id, origin) =>
      change(async (tx) => {
        const before = await lockPerson(tx, id);
        if (before === undefined) return UNCHANGED;
        const { atMs } = origin;
        await tx.run("UPDATE people SET ended_at_ms = $2 WHERE id = $1", [id, atMs]);
        // Before the versions, which lock the store: whoever revokes an invitation locks the store after it.
        await revokeInvitations(tx, "person_id = $1", { id, nowMs: atMs });
        return {
          person: { ...before, devices: 0, endedAtMs: atMs },
          keyIds: await changeKeys(tx, "revoked_at_ms = $2", [id, atMs]),
          record: () => recordAudit(tx, { ...auditPersonEnd(), ...origin, target: { personId: id } }),
        };
      }),
  };
}

const UNCHANGED = { person: undefined, keyIds: [], record: async () => {} };

/** They stay until the transaction ends. Undefined for an unknown or ended person. */
export async function lockPerson(tx: Transaction, id: bigint): Promise<Person | undefined> {
  const sql = `SELECT ${TABLES.people} FROM people WHERE id = $1 AND ended_at_ms IS NULL`;
  const row = await tx.lock(sql, [id]);
  return row && findPerson(tx, id);
}

export async function findPerson(db: Queries, id: bigint): Promise<Person | undefined> {
  const row = await db.first(`${SELECT} WHERE id = $1`, [id]);
  return row && toPerson(row);
}

/** Resolves to the changed keys. */
async function writeSettings(
  tx: Transaction,
  { id, shelterId: shelterBefore }: Person,
  { name, access, shelterId }: PersonSettings,
): Promise<bigint[]> {
  // So that nobody deletes it before the person belongs to it.
  if (shelterId !== undefined && shelterId !== shelterBefore)
    requireShelter(await lockShelter(tx, shelterId), shelterId);
  const rights = [access, shelterId ?? null];
  const sql = "UPDATE people SET (access, shelter_id, name) = ($2, $3, $4) WHERE id = $1";
  await tx.run(sql, [id, ...rights, name]);
  if (access === "admin") await shortenInvitations(tx, id);
  return changeKeys(tx, "(access, shelter_id) = ($2, $3)", [id, ...rights]);
}

/** Changes the keys that are not revoked; $1 is the person. Resolves to their ids. */
async function changeKeys(tx: Transaction, set: string, values: Array<bigint | number | string | null>) {
  const rows = await tx.all(`UPDATE api_keys SET ${set} WHERE ${ACTIVE_KEYS} RETURNING id`, values);
  return rows.map((row) => row.id as bigint);
}

/** Invitations of the person that were made for lower access are not valid for longer than one for admins. */
async function shortenInvitations(tx: Transaction, id: bigint): Promise<void> {
  const end = `created_at_ms + ${ADMIN_INVITATION_MS}`;
  const sql = `UPDATE invitations SET expires_at_ms = ${end} WHERE person_id = $1 AND expires_at_ms > ${end}
    AND accepted_at_ms IS NULL AND revoked_at_ms IS NULL`;
  await tx.run(sql, [id]);
}

function toPerson(row: Row): Person {
  return toObject<Person>(row, COLUMNS);
}
