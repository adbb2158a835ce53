// The list of webhooks: of the key, and for admins of all keys.

import { useSignal } from "@preact/signals";
import type { IssuedWebhook } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List, Pager, usePaging, useStepBack } from "../shared/parts/list.tsx";
import { phoneColumns } from "../shared/parts/phone-row.tsx";
import { useLoaded } from "../shared/state/loading.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { NewWebhookForm } from "./webhook-form.tsx";
import { PhoneWebhookRow, WebhookRow } from "./webhook-row.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

export function Webhooks() {
  const opened = useSignal<"form" | IssuedWebhook | undefined>(undefined);
  const paging = usePaging();
  const loaded = useLoaded(
    (signal) => {
      const query = { cursor: paging.cursor };
      // No retries: without its key of the secrets, the service answers 503 until an operator has set it.
      return ask((client) => client.listWebhooks(query, { signal, retries: 0 }).page());
    },
    [paging.cursor],
  );
  const { data, reload } = loaded;
  const texts = later().webhooks;
  const close = () => (opened.value = undefined);

  useStepBack(loaded, paging);

  return (
    <>
      <Head title={t().placeNames.webhooks}>
        <Button kind="primary" label={texts.add} onClick={() => (opened.value = "form")} />
      </Head>
      <p class="quiet">{texts.about}</p>
      <List
        loaded={loaded}
        label={t().placeNames.webhooks}
        className="webhooks"
        columns={[
          t().common.number,
          texts.address,
          texts.events,
          texts.status,
          texts.waiting,
          texts.lastSuccess,
        ]}
        empty={<p>{texts.empty}</p>}
        row={(webhook) => <WebhookRow key={String(webhook.id)} webhook={webhook} />}
        phone={{
          columns: phoneColumns({
            name: texts.address,
            state: texts.status,
            kind: texts.events,
            also: texts.lastSuccess,
          }),
          row: (webhook) => <PhoneWebhookRow key={String(webhook.id)} webhook={webhook} />,
        }}
      />
      <Pager paging={paging} next={data.value?.next} isLoading={loaded.isLoading.value} />
      {opened.value === "form" && (
        <NewWebhookForm onClose={close} onIssued={(webhook) => (opened.value = webhook)} />
      )}
      {typeof opened.value === "object" && (
        <WebhookSecret
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
