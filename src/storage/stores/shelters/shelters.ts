// The shelters in SQL, with the history of their changes and their audit records.

import type { ChangeKind } from "../../../domain/animals/history.ts";
import { summaryJson } from "../../../domain/animals/json-shapes.ts";
import { ServiceError } from "../../../domain/basics/errors.ts";
import { requirePrecondition } from "../../../domain/basics/precondition.ts";
import type { AuditOrigin, RecordedChange } from "../../../domain/keys/audit.ts";
import { auditInvitationRevocation } from "../../../domain/people/people-audit.ts";
import { isNear, latitudesOf, type Near } from "../../../domain/shelters/distance.ts";
import {
  FIRST_SHELTER,
  type NewShelter,
  requireMayChange,
  reviseShelter,
  type Shelter,
  type ShelterStore,
  summaryOf,
} from "../../../domain/shelters/shelter.ts";
import {
  auditShelterCreation,
  auditShelterDeletion,
  auditShelterUpdate,
} from "../../../domain/shelters/shelter-audit.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { listedIds } from "../../statements.ts";
import { TABLES, toObject } from "../../tables.ts";
import { type ChangeListener, createRecordedTransactions, type NewChange } from "../animals/history.ts";
import { recordAudit } from "../keys/audit.ts";
import { revokeInvitations } from "../people/open-invitations.ts";
import { findKeyShelter } from "./own-shelter.ts";

const COLUMNS = TABLES.shelters;
const WRITTEN = "name, details, summary, latitude, longitude, created_at_ms, updated_at_ms";
const FIND = `SELECT ${COLUMNS} FROM shelters WHERE id = $1`;
const INSERT = `INSERT INTO shelters (${WRITTEN}) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`;
const UPDATE = `UPDATE shelters SET (${WRITTEN}) = ($2, $3, $4, $5, $6, $7, $8) WHERE id = $1`;
const IS_USED = `SELECT 1 AS used WHERE EXISTS (SELECT 1 FROM pets WHERE shelter_id = $1)
  OR EXISTS (SELECT 1 FROM api_keys WHERE shelter_id = $1 AND revoked_at_ms IS NULL)
  OR EXISTS (SELECT 1 FROM people WHERE shelter_id = $1 AND ended_at_ms IS NULL)`;

export function createShelterStore(db: Database, changed: ChangeListener = async () => {}): ShelterStore {
  const change = createRecordedTransactions(db, changed);

  return {
    async list({ near }, { limit, after = 0n }) {
      if (near === undefined) return listShelters(db, "WHERE id > $1 ORDER BY id LIMIT $2", [after, limit]);
      const ids = (await findNearIds(db, near)).filter((id) => id > after).slice(0, limit);
      const wanted = `JOIN ${listedIds(db.engine, "$1")} USING (id) ORDER BY id`;
      return listShelters(db, wanted, [ids.join(",")]);
    },

    async find(id) {
      const row = await db.first(FIND, [id]);
      return row && toShelter(row);
    },

    create: (shelter, origin) =>
      change(async (tx, { record }) => {
        const times = { createdAtMs: origin.atMs, updatedAtMs: origin.atMs };
        const next = { ...reviseShelter(shelter, {}), ...times };
        const row = (await tx.first(INSERT, valuesOf({ id: 0n, ...next }))) as Row;
        const added = toShelter(row);
        // The summary has the id.
        await tx.run(UPDATE, [added.id, ...valuesOf(added)]);
        await record([changeOf("shelter.created", { after: added }, origin)]);
        await auditChange(tx, added.id, auditShelterCreation(added), origin);
        return added;
      }),

    update: (id, changes, { access, ...origin }, precondition) =>
      change(async (tx, { record }) => {
        const before = await lockShelter(tx, id);
        if (before === undefined) return undefined;
        const { actor } = origin;
        requireMayChange(id, access, "keyId" in actor ? await findKeyShelter(tx, actor) : undefined);
        requirePrecondition(precondition, before);
        const { createdAtMs, updatedAtMs, ...members } = before;
        const revised = reviseShelter(members, changes);
        if (detailsOf(revised) === detailsOf(before) && revised.name === before.name) return before;
        const after: Shelter = { id, ...revised, createdAtMs, updatedAtMs: origin.atMs };
        await tx.run(UPDATE, [id, ...valuesOf(after)]);
        await record([changeOf("shelter.updated", { before, after }, origin)]);
        await auditChange(tx, id, auditShelterUpdate(before, after), origin);
        return after;
      }),

    delete: (id, origin, precondition) =>
      change(async (tx, { record }) => {
        const before = await lockShelter(tx, id);
        if (before === undefined) return false;
        requirePrecondition(precondition, before);
        if (id === FIRST_SHELTER.id)
          throw new ServiceError("shelter_in_use", { message: "The first shelter always stays." });
        if ((await tx.first(IS_USED, [id])) !== undefined) throw new ServiceError("shelter_in_use");
        const invitations = await revokeInvitations(tx, "shelter_id = $1", { id, nowMs: origin.atMs });
        // Revoked keys keep its id: without one, their requests that still run could change the whole network.
        await tx.run("DELETE FROM shelters WHERE id = $1", [id]);
        await record([changeOf("shelter.deleted", { before }, origin)]);
        await auditChange(tx, id, auditShelterDeletion(before), origin);
        for (const invitationId of invitations)
          await recordAudit(tx, { ...auditInvitationRevocation(), ...origin, target: { invitationId } });
        return true;
      }),
  };
}

/** The shelters in the circle, in ascending order. */
export async function findNearIds(db: Queries, near: Near): Promise<bigint[]> {
  const sql = "SELECT id, latitude, longitude FROM shelters WHERE latitude BETWEEN $1 AND $2 ORDER BY id";
  const rows = await db.all(sql, latitudesOf(near));
  const isInside = ({ latitude, longitude }: Row) =>
    isNear({ latitude: Number(latitude), longitude: Number(longitude) }, near);
  return rows.filter(isInside).map(({ id }) => id as bigint);
}

/** It stays until the transaction ends. Undefined for an unknown id. */
export async function lockShelter(tx: Transaction, id: bigint): Promise<Shelter | undefined> {
  const row = await tx.lock(FIND, [id]);
  return row && toShelter(row);
}

async function listShelters(db: Queries, wanted: string, values: SqlValue[]): Promise<Shelter[]> {
  return (await db.all(`SELECT ${COLUMNS} FROM shelters ${wanted}`, values)).map(toShelter);
}

function changeOf(
  type: ChangeKind,
  { before, after }: { before?: Shelter; after?: Shelter },
  { actor, atMs }: AuditOrigin,
): NewChange {
  const membersOf = (shelter: Shelter | undefined) => {
    if (shelter === undefined) return undefined;
    const { id, ...shelterMembers } = shelter;
    return { shelterMembers };
  };
  return {
    type,
    petId: 0n,
    shelterId: (after ?? before)?.id,
    from: membersOf(before),
    to: membersOf(after),
    atMs,
    keyId: "keyId" in actor ? actor.keyId : undefined,
  };
}

async function auditChange(
  tx: Transaction,
  shelterId: bigint,
  record: RecordedChange,
  origin: AuditOrigin,
): Promise<void> {
  await recordAudit(tx, { ...record, ...origin, target: { shelterId } });
}

/** JSON of the optional members. */
function detailsOf(shelter: NewShelter): string {
  const { name, ...details } = reviseShelter(shelter, {});
  return JSON.stringify(details);
}

/** In the order of WRITTEN. */
function valuesOf(shelter: Shelter): SqlValue[] {
  const { name, location, createdAtMs, updatedAtMs } = shelter;
  const { latitude = null, longitude = null } = location ?? {};
  return [
    name,
    detailsOf(shelter),
    summaryJson(summaryOf(shelter)),
    latitude,
    longitude,
    createdAtMs,
    updatedAtMs,
  ];
}

function toShelter(row: Row): Shelter {
  const { id, name, ...times } = toObject<Shelter>(row, "id, name, created_at_ms, updated_at_ms");
  return { id, name, ...JSON.parse(row.details as string), ...times };
}
