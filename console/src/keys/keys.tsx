// The list of keys, for admins.

import { useSignal } from "@preact/signals";
import type { IssuedKey } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List, Pager, usePaging } from "../shared/parts/list.tsx";
import { phoneColumns } from "../shared/parts/phone-row.tsx";
import { SearchBox } from "../shared/parts/search-box.tsx";
import { formatCount } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { ensureShelters } from "../shared/state/own-shelter.ts";
import { hrefOf, queryChoice, queryValue, setFilter, setQuery } from "../shared/state/place.ts";
import { READ_MAX } from "../shared/state/read-all.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { KeySecret } from "./key-actions.tsx";
import { NewKeyForm } from "./key-form.tsx";
import { KeyRow, PhoneKeyRow } from "./key-row.tsx";
import { NEW_KINDS } from "./key-words.ts";
import { cleanSearch, readKeys } from "./read-keys.ts";

export function Keys() {
  // Another place can lead to the form of a kind.
  const preset = queryChoice("create", NEW_KINDS);
  const opened = useSignal<"form" | IssuedKey | undefined>(preset && "form");
  const paging = usePaging();
  const q = cleanSearch(queryValue("q") ?? "");
  const loaded = useLoaded(
    (signal) => {
      void ensureShelters().catch(() => {});
      return readKeys({ q, cursor: paging.cursor }, signal);
    },
    [q, paging.cursor],
  );
  const { data, reload } = loaded;
  const texts = t().keys;

  function close(): void {
    opened.value = undefined;
    if (preset !== undefined) setQuery({ create: undefined }, { isReplacing: true });
  }
  /** Sends no request for a secret, which is in this response only and must not be lost. */
  function showIssued(key: IssuedKey): void {
    if (key.kind === "publishable") location.hash = hrefOf("keys", String(key.id));
    else opened.value = key;
  }
  return (
    <>
      <Head title={t().placeNames.keys}>
        <Button kind="primary" label={texts.create} onClick={() => (opened.value = "form")} />
      </Head>
      <search class="filters">
        <SearchBox
          label={texts.search}
          value={q}
          onSearch={(text) => setFilter({ q: cleanSearch(text) }, { isReplacing: true })}
        />
      </search>
      {data.value?.isCut && <p class="quiet">{texts.searchIsCut(formatCount(READ_MAX))}</p>}
      <List
        loaded={loaded}
        label={t().placeNames.keys}
        className="keys"
        columns={[
          t().common.number,
          t().common.name,
          texts.plan,
          texts.access,
          ...(hasSeveralShelters() ? [t().shelters.one] : []),
          texts.limits,
          texts.state,
          texts.lastUsed,
        ]}
        empty={q === "" ? <p>{texts.empty}</p> : <NothingFound q={q} />}
        row={(key) => <KeyRow key={String(key.id)} apiKey={key} />}
        phone={{
          columns: phoneColumns({
            name: t().common.name,
            state: texts.state,
            kind: texts.plan,
            also: texts.lastUsed,
          }),
          row: (key) => <PhoneKeyRow key={String(key.id)} apiKey={key} />,
        }}
      />
      <Pager paging={paging} next={data.value?.next} isLoading={loaded.isLoading.value} />
      {opened.value === "form" && (
        <NewKeyForm kind={preset ?? "secret"} onClose={close} onIssued={showIssued} />
      )}
      {typeof opened.value === "object" && (
        <KeySecret
          issued={opened.value}
          onClose={() => {
            close();
            void reload();
          }}
        />
      )}
    </>
  );
}

function NothingFound({ q }: { q: string }) {
  return (
    <>
      <p>{t().keys.nothingFound(q)}</p>
      <Button label={t().keys.showAll} onClick={() => setFilter({ q: undefined })} />
    </>
  );
}
