// The audit log, for admins: who changed the service itself, newest first.

import type { AuditActor, AuditRecord, AuditTarget, Int64 } from "../../../client/src/client.ts";
import { List, Pager, usePaging } from "../parts/list.tsx";
import { formatMoment } from "../state/format.ts";
import { keyName, loadKeyNames } from "../state/key-names.ts";
import { useLoaded } from "../state/loading.ts";
import { ask } from "../state/session.ts";
import { ACTION_LABELS, describeChanges } from "./audit-words.ts";

const COLUMNS = ["Time", "What happened", "To what", "Details", "By whom"];
/** The number of ADMIN_API_KEY, which is not stored. */
const ADMIN_API_KEY_ID = "0";

export function Audit() {
  const paging = usePaging();
  const loaded = useLoaded(
    async (signal) => {
      const page = await ask((client) => client.listAudit({ cursor: paging.cursor }, { signal }).page());
      void loadKeyNames(page.items.flatMap(findKeys), signal);
      return page;
    },
    [paging.cursor],
  );
  return (
    <>
      <div class="head">
        <h1>Audit log</h1>
        <button type="button" onClick={() => void loaded.reload()}>
          Reload
        </button>
      </div>
      <p class="quiet">
        Changes of keys and webhooks, bans, imports and restored data. Changes of animals and orders are not
        listed here.
      </p>
      <List
        loaded={loaded}
        label="Audit log"
        columns={COLUMNS}
        empty={<p>Nothing has been recorded yet.</p>}
        row={(record) => <AuditRow key={String(record.number)} record={record} />}
      />
      <Pager paging={paging} next={loaded.data.value?.next} isLoading={loaded.isLoading.value} />
    </>
  );
}

function AuditRow({ record }: { record: AuditRecord }) {
  const { timestamp, action, actor, target, from, to } = record;
  return (
    <tr>
      <td class="when">
        <time dateTime={timestamp}>{formatMoment(new Date(timestamp))}</time>
      </td>
      <th scope="row">{ACTION_LABELS[action] ?? action}</th>
      <td class="beside">{describeTarget(target)}</td>
      <td class="details">
        <ul>
          {describeChanges(from, to).map(({ label, before, after }) => (
            <li key={label}>
              <span class="quiet">{label}:</span> {before !== undefined && `${before} → `}
              {after}
            </li>
          ))}
        </ul>
      </td>
      <td data-label="By">{describeActor(actor)}</td>
    </tr>
  );
}

function findKeys({ actor, target }: AuditRecord): Int64[] {
  return [actor.keyId, target?.keyId].filter(
    (id) => id !== undefined && String(id) !== ADMIN_API_KEY_ID,
  ) as Int64[];
}

function describeKey(id: Int64): string {
  if (String(id) === ADMIN_API_KEY_ID) return "ADMIN_API_KEY";
  const name = keyName(id);
  return name === undefined ? `Key ${id}` : `${name} (key ${id})`;
}

function describeActor({ keyId, command }: AuditActor) {
  if (keyId !== undefined) return describeKey(keyId);
  if (command === "serve") return "The service itself";
  return (
    <>
      Command <code>{command}</code>
    </>
  );
}

function describeTarget(target: AuditTarget | undefined) {
  if (target?.keyId !== undefined) return describeKey(target.keyId);
  if (target?.webhookId !== undefined) return `Webhook ${target.webhookId}`;
  return target?.file ?? "The whole store";
}
