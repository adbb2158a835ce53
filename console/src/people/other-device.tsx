// "Use on another device": a link for the signed-in person, which works for some minutes.

import { Button } from "../shared/parts/button.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { formatDuration } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { serviceNowMs } from "../shared/state/server-clock.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { JoinLink } from "./join-link.tsx";

export function OtherDevice({ onClose }: { onClose: () => void }) {
  const texts = later().people.otherDevice;
  const loaded = useLoaded((signal) => ask((client) => client.createDeviceLink({ signal })), []);
  const link = loaded.data.value;
  const leftMs = link === undefined ? 0 : Date.parse(link.expiresAt) - serviceNowMs();
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <LoadFailure loaded={loaded} />
      {link === undefined ? (
        <p class="quiet join-link-loading">{t().common.loading}</p>
      ) : leftMs <= 0 ? (
        <>
          <p role="alert">{texts.isOver}</p>
          <footer>
            <Button kind="primary" label={texts.again} onClick={loaded.reload} />
          </footer>
        </>
      ) : (
        <JoinLink key={link.url} url={link.url} onClose={onClose}>
          <p>{texts.hint}</p>
          <p>
            {texts.worksFor} <strong class="time-left">{formatDuration(leftMs)}</strong>
          </p>
        </JoinLink>
      )}
    </Dialog>
  );
}
