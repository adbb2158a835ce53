// The audit log, for admins: who changed the service itself, newest first; all of it, or what a filter finds.

import type { AuditAction, AuditActor, AuditRecord, Int64 } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List, Pager, usePaging } from "../shared/parts/list.tsx";
import { formatCount, formatMoment } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import {
  keyName,
  loadKeyNames,
  loadPersonNames,
  OPERATOR_KEY_ID,
  personName,
} from "../shared/state/names.ts";
import { hrefOf } from "../shared/state/place.ts";
import { shelterName } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/lazy.ts";
import type { Sentence } from "../shared/texts/say.ts";
import { countSet, currentFilter, SERVICE_COMMAND } from "./audit-filter.ts";
import { describeChanges } from "./audit-words.ts";
import { AuditFilters } from "./filters.tsx";
import { readAudit, SEARCHED_MAX } from "./read-audit.ts";

export function Audit() {
  const paging = usePaging();
  const filter = currentFilter();
  const loaded = useLoaded(
    async (signal) => {
      const page = await readAudit(filter, paging.cursor, signal);
      void loadKeyNames(page.items.flatMap(findKeys), signal);
      void loadPersonNames(page.items.flatMap(findPeople), signal);
      return page;
    },
    [filter.by, filter.action, filter.from, filter.until, paging.cursor],
  );
  const { next, searchedTo } = loaded.data.value ?? {};
  const texts = later().audit;
  return (
    <>
      <Head title={t().placeNames.audit}>
        <Button label={t().common.reload} onClick={loaded.reload} />
      </Head>
      <p class="quiet">{texts.about}</p>
      <AuditFilters filter={filter} />
      <List
        loaded={loaded}
        label={t().placeNames.audit}
        className="audit"
        columns={[texts.time, texts.what, texts.target, texts.details, texts.actor]}
        empty={
          countSet(filter) > 0 ? (
            <NothingFound
              searchedTo={searchedTo}
              onOlder={next === undefined ? undefined : () => paging.forward(next)}
            />
          ) : (
            <p>{texts.empty}</p>
          )
        }
        row={(record) => <AuditRow key={String(record.number)} record={record} />}
      />
      {searchedTo !== undefined && (loaded.data.value?.items.length ?? 0) > 0 && (
        <p class="quiet">{texts.searchedTo(formatMoment(searchedTo))}</p>
      )}
      <Pager paging={paging} next={next} isLoading={loaded.isLoading.value} />
    </>
  );
}

interface NothingFoundProps {
  searchedTo: string | undefined;
  onOlder: (() => void) | undefined;
}

/** The log is searched in parts. */
function NothingFound({ searchedTo, onOlder }: NothingFoundProps) {
  const texts = later().audit;
  return (
    <>
      <p>
        {searchedTo === undefined
          ? texts.nothingFound
          : texts.nothingFoundYet(formatCount(SEARCHED_MAX), formatMoment(searchedTo))}
      </p>
      {onOlder !== undefined && <Button kind="primary" label={texts.searchOlder} onClick={onOlder} />}
    </>
  );
}

function AuditRow({ record }: { record: AuditRecord }) {
  const { timestamp, action, actor, from, to } = record;
  const labels: Record<AuditAction, string> = later().audit.actions;
  return (
    <tr>
      <td class="when">
        <time dateTime={timestamp}>{formatMoment(timestamp)}</time>
      </td>
      <th scope="row">{labels[action] ?? action}</th>
      <td class="beside">{describeTarget(record)}</td>
      <td class="details">
        <ul>
          {describeChanges(from, to).map(({ member, label, before, after }) => (
            <li key={label}>
              <span class="quiet">{label}:</span>{" "}
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
            </li>
          ))}
        </ul>
      </td>
      <td data-label={later().audit.by}>{describeActor(actor)}</td>
    </tr>
  );
}

/** Without those that the record names itself. */
function findKeys({ actor, target }: AuditRecord): Int64[] {
  const keyIds = [actor.person === undefined ? actor.keyId : undefined, target?.keyId];
  return keyIds.filter((id) => id !== undefined && String(id) !== OPERATOR_KEY_ID) as Int64[];
}

function findPeople({ target, to }: AuditRecord): Int64[] {
  return [target?.personId, to?.personId].filter((id) => id !== undefined);
}

function describeKey(keyId: Int64): Sentence {
  const id = String(keyId);
  if (id === OPERATOR_KEY_ID) return t().common.operatorKey;
  const name = keyName(keyId);
  const words = name === undefined ? t().common.keyNumbered(id) : later().audit.namedKey(name, id);
  return <a href={hrefOf("keys", id)}>{words}</a>;
}

function describePerson(id: Int64, name = personName(id)): Sentence {
  return <a href={hrefOf("people", String(id))}>{name ?? later().audit.person(String(id))}</a>;
}

function describeWebhook(webhookId: Int64): Sentence {
  const id = String(webhookId);
  return <a href={hrefOf("webhooks", id)}>{later().audit.webhook(id)}</a>;
}

function describeActor({ keyId, person, command }: AuditActor): Sentence {
  if (person !== undefined) return describePerson(person.id, person.name);
  if (keyId !== undefined) return describeKey(keyId);
  if (command === SERVICE_COMMAND) return later().audit.service;
  return later().audit.command(<code>{command}</code>);
}

function describeTarget({ action, target }: AuditRecord): Sentence {
  if (target?.keyId !== undefined) return describeKey(target.keyId);
  if (target?.personId !== undefined) return describePerson(target.personId);
  if (target?.invitationId !== undefined) return later().audit.invitation(String(target.invitationId));
  if (target?.shelterId !== undefined) return <bdi>{shelterName(target.shelterId)}</bdi>;
  if (target?.webhookId !== undefined) return describeWebhook(target.webhookId);
  if (target?.file !== undefined) return <bdi>{target.file}</bdi>;
  if (action === "site.updated") return later().site.state;
  return action === "data.imported" ? later().audit.upload : later().audit.wholeStore;
}
