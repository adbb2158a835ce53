// The audit log, for admins: who changed the service itself, newest first; all of it, or what a filter finds.

import { useSignal } from "@preact/signals";
import type { AuditRecord, Int64 } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List, Pager, usePaging } from "../shared/parts/list.tsx";
import { phoneColumns } from "../shared/parts/phone-row.tsx";
import { formatCount, formatMoment } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { loadKeyNames, loadPersonNames, OPERATOR_KEY_ID } from "../shared/state/names.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { countSet, currentFilter } from "./audit-filter.ts";
import { AuditEntry, AuditRow, PhoneAuditRow } from "./audit-row.tsx";
import { AuditFilters } from "./filters.tsx";
import { readAudit, SEARCHED_MAX } from "./read-audit.ts";

export function Audit() {
  const opened = useSignal<AuditRecord | undefined>(undefined);
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
        phone={{
          columns: phoneColumns({
            name: texts.what,
            state: t().keys.state,
            kind: texts.target,
            also: texts.time,
          }),
          row: (record) => (
            <PhoneAuditRow
              key={String(record.number)}
              record={record}
              onOpen={() => (opened.value = record)}
            />
          ),
        }}
      />
      {searchedTo !== undefined && (loaded.data.value?.items.length ?? 0) > 0 && (
        <p class="quiet">{texts.searchedTo(formatMoment(searchedTo))}</p>
      )}
      <Pager paging={paging} next={next} isLoading={loaded.isLoading.value} />
      {opened.value && <AuditEntry record={opened.value} onClose={() => (opened.value = undefined)} />}
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

/** Without those that the record names itself. */
function findKeys({ actor, target }: AuditRecord): Int64[] {
  const keyIds = [actor.person === undefined ? actor.keyId : undefined, target?.keyId];
  return keyIds.filter((id) => id !== undefined && String(id) !== OPERATOR_KEY_ID) as Int64[];
}

function findPeople({ target, to }: AuditRecord): Int64[] {
  return [target?.personId, to?.personId].filter((id) => id !== undefined);
}
