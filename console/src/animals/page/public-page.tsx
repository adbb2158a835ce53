// The address of an animal's public page on its kennel card, also as a QR code.

import type { Int64 } from "../../../../client/src/client.ts";
import { QrImage, useQrCode } from "../../shared/parts/qr-code.tsx";
import { publicAddress } from "../../shared/state/public-site.ts";
import { later } from "../../shared/texts/pages.ts";

export function PublicPage({ petId }: { petId: Int64 }) {
  const address = publicAddress(`animals/${petId}`);
  // Loaded before anyone prints. If it does not arrive, the card has the address alone.
  const code = useQrCode(address);
  return (
    <div class="public-page">
      {code.value && <QrImage code={code.value} />}
      <p>
        {later().share.scan}
        <br />
        <strong>{address}</strong>
      </p>
    </div>
  );
}
