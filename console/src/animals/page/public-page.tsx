// The address of an animal's public page on its kennel card, also as a QR code.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Int64 } from "../../../../client/src/client.ts";
import { loadPart } from "../../shared/state/load-part.ts";
import { publicAddress } from "../../shared/state/public-site.ts";
import { later } from "../../shared/texts/lazy.ts";
import type { QrCode } from "./qr-code.ts";

export function PublicPage({ petId }: { petId: Int64 }) {
  const address = publicAddress(`animals/${petId}`);
  const code = useSignal<QrCode | undefined>(undefined);

  useEffect(() => {
    // Before anyone prints. If it does not arrive, the card has the address alone.
    loadPart(() => import("./qr-code.ts")).then(
      ({ drawQrCode }) => (code.value = drawQrCode(address)),
      () => {},
    );
  }, [address]);

  return (
    <div class="public-page">
      {code.value && (
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${code.value.size} ${code.value.size}`}
          shape-rendering="crispEdges"
        >
          <path d={code.value.path} />
        </svg>
      )}
      <p>
        {later().share.scan}
        <br />
        <strong>{address}</strong>
      </p>
    </div>
  );
}
