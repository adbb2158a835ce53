// The requests that a key has left this minute and today, and its ban.

import { useSignal } from "@preact/signals";
import type { KeyDetails } from "../../../client/src/client.ts";
import { Bar } from "../shared/parts/bar.tsx";
import { Button } from "../shared/parts/button.tsx";
import { explain } from "../shared/state/failures.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { formatBanEnd } from "./key-words.ts";

export function KeyWindows({ apiKey, onChanged }: { apiKey: KeyDetails; onChanged: () => Promise<void> }) {
  const { minute, day, ban } = apiKey.usage;
  const success = useSignal("");
  const failure = useSignal("");
  const texts = t().keys;

  async function unban(): Promise<void> {
    failure.value = "";
    try {
      await ask((client) => client.unbanKey(apiKey.id));
    } catch (error) {
      failure.value = explain(error);
      return;
    }
    await onChanged();
    success.value = texts.unbanned(apiKey.name);
  }

  return (
    <section aria-labelledby="windows">
      <h2 id="windows">{texts.windows}</h2>
      {ban && (
        <div class="countdown">
          {texts.bannedBecause(formatBanEnd(ban))}
          <Button label={texts.unban} onClick={unban} />
        </div>
      )}
      <p role="alert" class="failure">
        {failure}
      </p>
      <p role="status" class="success">
        {success}
      </p>
      <div class="pair">
        <Bar label={t().common.thisMinute} {...minute} />
        {day && <Bar label={t().common.thisDay} {...day} />}
      </div>
    </section>
  );
}
