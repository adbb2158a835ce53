// One entry of the audit log, with its details in the row, or on a phone in a dialog.

import type { AuditAction, AuditRecord } from "../../../client/src/client.ts";
import { CloseFooter, Dialog } from "../shared/parts/dialog.tsx";
import { FactList } from "../shared/parts/fact-list.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { formatMoment } from "../shared/state/format.ts";
import { hrefOf } from "../shared/state/place.ts";
import { later } from "../shared/texts/pages.ts";
import { type ChangeWords, describeChanges } from "./audit-words.ts";
import { actorOf, PartyLink, targetOf } from "./parties.tsx";

interface AuditRowProps {
  record: AuditRecord;
}

export function AuditRow({ record }: AuditRowProps) {
  return (
    <tr>
      <td class="when">
        <When record={record} />
      </td>
      <th scope="row">{nameAction(record)}</th>
      <td class="beside">
        <PartyLink party={targetOf(record)} />
      </td>
      <td class="details">
        <ul>
          {describeChanges(record.from, record.to).map((change) => (
            <li key={change.label}>
              <span class="quiet">{change.label}:</span> <Change change={change} />
            </li>
          ))}
        </ul>
      </td>
      <td data-label={later().audit.by}>
        <PartyLink party={actorOf(record)} />
      </td>
    </tr>
  );
}

/** A touch shows the details. Names of keys and people arrive late: nothing stands after them, and so nothing moves. */
export function PhoneAuditRow({ record, onOpen }: AuditRowProps & { onOpen: () => void }) {
  const { target, to } = record;
  return (
    <PhoneRow
      name={
        <button type="button" class="link" onClick={onOpen}>
          {nameAction(record)}
        </button>
      }
      facts={[target?.invitationId !== undefined && to?.name, targetOf(record).words]}
      others={[<When record={record} />, actorOf(record).words]}
    />
  );
}

export function AuditEntry({ record, onClose }: AuditRowProps & { onClose: () => void }) {
  const texts = later().audit;
  const changes = describeChanges(record.from, record.to);
  return (
    <Dialog title={nameAction(record)} onClose={onClose}>
      <FactList
        facts={[
          [texts.target, <PartyLink party={targetOf(record)} />],
          [texts.actor, <PartyLink party={actorOf(record)} />],
          [texts.time, <When record={record} />],
        ]}
      />
      {changes.length > 0 && (
        <section>
          <h3>{texts.details}</h3>
          <FactList facts={changes.map((change) => [change.label, <Change change={change} />])} />
        </section>
      )}
      <CloseFooter onClose={onClose} />
    </Dialog>
  );
}

/** An action that this version does not know is shown as it is. */
function nameAction({ action }: AuditRecord): string {
  const labels: Record<AuditAction, string> = later().audit.actions;
  return labels[action] ?? action;
}

function When({ record: { timestamp } }: AuditRowProps) {
  return <time dateTime={timestamp}>{formatMoment(timestamp)}</time>;
}

function Change({ change: { member, before, after } }: { change: ChangeWords }) {
  return (
    <>
      {before !== undefined && (
        <>
          <bdi>{before}</bdi> →{" "}
        </>
      )}
      {member === "firstId" || member === "lastId" ? (
        <a href={hrefOf("animals", after)}>{after}</a>
      ) : (
        <bdi>{after}</bdi>
      )}
    </>
  );
}
