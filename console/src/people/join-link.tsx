// A link that signs a person in, to be sent or scanned: as a QR code, by copying, and by the browser's own dialog.

import type { ComponentChildren } from "preact";
import { Button } from "../shared/parts/button.tsx";
import { useCopy } from "../shared/parts/copy.ts";
import { QrImage, useQrCode } from "../shared/parts/qr-code.tsx";
import { canShare, shareByBrowser } from "../shared/parts/share.ts";
import { brandName } from "../shared/state/brand.ts";
import { isLoopback } from "../shared/state/loopback.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

interface JoinLinkProps {
  url: string;
  onClose: () => void;
  /** How long it works. */
  children: ComponentChildren;
}

/** `url` must not change. */
export function JoinLink({ url, onClose, children }: JoinLinkProps) {
  const texts = later().people.link;
  const { message, copy } = useCopy();
  const code = useQrCode(url);

  async function share(): Promise<void> {
    if (!(await shareByBrowser({ title: brandName.peek(), url }))) await copy(url);
  }

  return (
    <>
      <div class="join-link">
        <div class="scan">{code.value && <QrImage code={code.value} />}</div>
        <div>
          {children}
          {isLoopback(url) && <p class="held">{later().site.onlyHere}</p>}
          <code>{url}</code>
        </div>
      </div>
      <p role="status" class="success">
        {message}
      </p>
      <footer>
        <Button label={t().common.close} onClick={onClose} />
        {canShare() && <Button label={texts.share} onClick={() => void share()} />}
        <Button kind="primary" label={texts.copy} onClick={() => void copy(url)} />
      </footer>
    </>
  );
}
