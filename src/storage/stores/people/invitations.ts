// Invitations and links in SQL, and how a device gets its key from one.

import { ServiceError } from "../../../domain/basics/errors.ts";
import type { ApiKey } from "../../../domain/keys/api-key.ts";
import type { AuditOrigin, RecordedChange } from "../../../domain/keys/audit.ts";
import { auditCreation } from "../../../domain/keys/key-audit.ts";
import type {
  Invitation,
  InvitationStatus,
  InvitationStore,
  Joined,
  NewDevice,
  NewInvitation,
} from "../../../domain/people/invitation.ts";
import {
  auditInvitationAcceptance,
  auditInvitationCreation,
  auditInvitationRevocation,
  auditLink,
} from "../../../domain/people/people-audit.ts";
import { DEVICES_MAX, PERSON_PLAN, type Person, type PersonSettings } from "../../../domain/people/person.ts";
import { requireShelter } from "../../../domain/shelters/shelter.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { deleteSome, TABLES, toObject } from "../../tables.ts";
import { recordAudit } from "../keys/audit.ts";
import { insertKey } from "../keys/key-rows.ts";
import { lockShelter } from "../shelters/shelters.ts";
import { isOpenAt, revokeInvitations } from "./open-invitations.ts";
import { findPerson, lockPerson } from "./people.ts";

const COLUMNS = TABLES.invitations.replace(" code_hash,", "");
/** An invitation of a known person has their name and rights, as they are now. */
const OF_PERSON = ["name", "access", "shelter_id"];
const SELECT = `SELECT ${COLUMNS.split(", ").map(columnSql).join(", ")}
  FROM invitations LEFT JOIN people ON people.id = person_id`;
const STATUSES: Record<InvitationStatus, string> = {
  open: isOpenAt("$3"),
  accepted: "accepted_at_ms IS NOT NULL",
  revoked: "revoked_at_ms IS NOT NULL",
  expired: "accepted_at_ms IS NULL AND revoked_at_ms IS NULL AND expires_at_ms <= $3",
};
const INSERT = `INSERT INTO invitations (person_id, name, access, shelter_id, code_hash, created_at_ms, expires_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`;

/** An unlocked read: a wrong code starts no transaction. */
const FIND_CODE = `SELECT id, person_id, shelter_id, 0 AS key_id FROM invitations
    WHERE code_hash = $1 AND ${isOpenAt("$2")}
  UNION ALL SELECT 0, person_id, NULL, key_id FROM device_links JOIN api_keys ON api_keys.id = key_id
    WHERE code_hash = $1 AND device_links.expires_at_ms > $2 AND revoked_at_ms IS NULL`;
const ACCEPT = `UPDATE invitations SET accepted_at_ms = $2 WHERE id = $1 AND ${isOpenAt("$2")}
  RETURNING name, access, shelter_id`;
const USE_LINK = "DELETE FROM device_links WHERE code_hash = $1 AND expires_at_ms > $2";
const LOCK_KEY = "SELECT id FROM api_keys WHERE id = $1 AND revoked_at_ms IS NULL";

function columnSql(column: string): string {
  if (!OF_PERSON.includes(column)) return `invitations.${column}`;
  return `CASE WHEN invitations.name IS NULL THEN people.${column} ELSE invitations.${column} END AS ${column}`;
}

export function createInvitationStore(db: Database): InvitationStore {
  return {
    async list({ status }, { limit, after = 0n }, nowMs) {
      const wanted = status === undefined ? "" : `AND ${STATUSES[status]}`;
      const now = wanted.includes("$3") ? [nowMs] : [];
      const sql = `${SELECT} WHERE invitations.id > $1 ${wanted} ORDER BY invitations.id LIMIT $2`;
      const rows = await db.all(sql, [after, limit, ...now]);
      return rows.map(toInvitation);
    },

    create: (invitation, codeHash, findExpiry, origin) =>
      db.transaction(async (tx) => {
        const { access } = await lockInvited(tx, invitation);
        const expiresAtMs = findExpiry(access);
        const values = [...invitedValues(invitation), codeHash, origin.atMs, expiresAtMs];
        const id = (await tx.first(INSERT, values))?.id as bigint;
        await audit(tx, id, auditInvitationCreation(invitation, expiresAtMs), origin);
        return toInvitation((await tx.first(`${SELECT} WHERE invitations.id = $1`, [id])) as Row);
      }),

    revoke: (id, origin) =>
      db.transaction(async (tx) => {
        const [revoked] = await revokeInvitations(tx, "id = $1", { id, nowMs: origin.atMs });
        if (revoked === undefined) return false;
        await audit(tx, id, auditInvitationRevocation(), origin);
        return true;
      }),

    createLink: (keyId, { codeHash, expiresAtMs }, origin) =>
      db.transaction(async (tx) => {
        if ((await tx.lock(LOCK_KEY, [keyId])) === undefined) return false;
        const sql = `INSERT INTO device_links (${TABLES.device_links}) VALUES ($1, $2, $3)`;
        await tx.run(sql, [codeHash, keyId, expiresAtMs]);
        await recordAudit(tx, { ...auditLink(expiresAtMs), ...origin, target: { keyId } });
        return true;
      }),

    async accept(codeHash, device) {
      const row = await db.first(FIND_CODE, [codeHash, device.atMs]);
      if (row === undefined) return undefined;
      const code = {
        ...toObject<Omit<FoundCode, "codeHash">>(row, "id, person_id, shelter_id, key_id"),
        codeHash,
      };
      return db.transaction((tx) => (code.keyId === 0n ? acceptInvitation : useLink)(tx, code, device));
    },

    forget: (nowMs) =>
      deleteSome(db, "device_links", { condition: "expires_at_ms <= $1", values: [nowMs], isOrdered: true }),
  };
}

/** Either an invitation, or the link of a key; the other id is 0. */
interface FoundCode {
  codeHash: Buffer;
  id: bigint;
  keyId: bigint;
  personId?: bigint | undefined;
  shelterId?: bigint | undefined;
}

/** Whoever changes devices or invitations of a known person locks the person first; all lock the store last. */
async function acceptInvitation(tx: Transaction, code: FoundCode, device: NewDevice) {
  const { id, personId, shelterId } = code;
  const known = personId === undefined ? undefined : await lockPerson(tx, personId);
  if (personId !== undefined && known === undefined) return undefined;
  if (shelterId !== undefined && (await lockShelter(tx, shelterId)) === undefined) return undefined;
  const accepted = await tx.first(ACCEPT, [id, device.atMs]);
  if (accepted === undefined) return undefined;
  const person = known ?? (await addPerson(tx, id, toObject(accepted, "name, access, shelter_id"), device));
  const joined = await addDevice(tx, person, device);
  const origin = { actor: { keyId: joined.key.id }, atMs: device.atMs };
  await recordKey(tx, joined.key, origin);
  await audit(tx, id, auditInvitationAcceptance({ personId: person.id }), origin);
  return joined;
}

/** Not through a link of a revoked key. */
async function useLink(tx: Transaction, { codeHash, keyId, personId = 0n }: FoundCode, device: NewDevice) {
  const person = await lockPerson(tx, personId);
  const key = await tx.lock(LOCK_KEY, [keyId]);
  if (person === undefined || key === undefined) return undefined;
  if ((await tx.run(USE_LINK, [codeHash, device.atMs])) === 0) return undefined;
  const joined = await addDevice(tx, person, device);
  await recordKey(tx, joined.key, { actor: { keyId }, atMs: device.atMs });
  return joined;
}

async function addPerson(
  tx: Transaction,
  invitationId: bigint,
  { name, access, shelterId = null }: Omit<PersonSettings, "shelterId"> & { shelterId?: bigint | null },
  { atMs }: NewDevice,
): Promise<Person> {
  const sql =
    "INSERT INTO people (name, access, shelter_id, created_at_ms) VALUES ($1, $2, $3, $4) RETURNING id";
  const id = (await tx.first(sql, [name, access, shelterId, atMs]))?.id as bigint;
  await tx.run("UPDATE invitations SET person_id = $2 WHERE id = $1", [invitationId, id]);
  return getPerson(tx, id);
}

async function addDevice(tx: Transaction, person: Person, { name, issue, atMs }: NewDevice): Promise<Joined> {
  const { id: personId, access, shelterId, devices } = person;
  if (devices >= DEVICES_MAX) throw tooManyDevices();
  const settings = { name, plan: PERSON_PLAN, access, shelterId, kind: "person" } as const;
  const key = await insertKey(tx, settings, { secret: issue(), createdAtMs: atMs, personId });
  return { person: await getPerson(tx, personId), key };
}

function tooManyDevices(): ServiceError {
  const message = `This person has ${DEVICES_MAX} devices, which is the most. Revoke the key of one first.`;
  return new ServiceError("invalid_transition", { message });
}

async function getPerson(db: Queries, id: bigint): Promise<Person> {
  return (await findPerson(db, id)) as Person;
}

/** The person or the shelter stays until the transaction ends. Throws `person_not_found`, `invalid_body`. */
async function lockInvited(tx: Transaction, invitation: NewInvitation): Promise<PersonSettings> {
  if (!("personId" in invitation)) {
    const { shelterId } = invitation;
    if (shelterId !== undefined) requireShelter(await lockShelter(tx, shelterId), shelterId);
    return invitation;
  }
  const person = await lockPerson(tx, invitation.personId);
  if (person === undefined) throw new ServiceError("person_not_found");
  return person;
}

/** person_id, name, access, shelter_id */
function invitedValues(invitation: NewInvitation): SqlValue[] {
  if ("personId" in invitation) return [invitation.personId, null, null, null];
  return [null, invitation.name, invitation.access, invitation.shelterId ?? null];
}

async function audit(tx: Transaction, invitationId: bigint, record: RecordedChange, origin: AuditOrigin) {
  await recordAudit(tx, { ...record, ...origin, target: { invitationId } });
}

async function recordKey(tx: Transaction, key: ApiKey, origin: AuditOrigin) {
  await recordAudit(tx, { ...auditCreation(key), ...origin, target: { keyId: key.id } });
}

function toInvitation(row: Row): Invitation {
  return toObject<Invitation>(row, COLUMNS);
}
