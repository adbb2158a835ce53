// The webhooks of one key, with their status.

import type { Webhook } from "../../../client/src/client.ts";
import { EntryLink } from "../shared/parts/entry-link.tsx";
import { hrefOf } from "../shared/state/place.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { nameWebhook, stateOfWebhook } from "../webhooks/webhook-words.ts";

export function KeyWebhooks({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">{t().placeNames.webhooks}</h2>
      {webhooks.length === 0 && <p class="quiet">{t().keys.noWebhooks}</p>}
      <ul class="entries">
        {webhooks.map((webhook) => (
          <li key={String(webhook.id)}>
            <Status state={stateOfWebhook(webhook)} />{" "}
            <EntryLink place="webhooks" id={webhook.id} name={nameWebhook(webhook)} />
            {webhook.description && (
              <>
                <br />
                <small>{webhook.url}</small>
              </>
            )}
          </li>
        ))}
      </ul>
      <p>
        <a href={hrefOf("webhooks")}>{t().keys.allWebhooks}</a>
      </p>
    </section>
  );
}

function Status({ state }: { state: ReturnType<typeof stateOfWebhook> }) {
  return <span class={`status ${state}`}>{later().webhooks.states[state]}</span>;
}
