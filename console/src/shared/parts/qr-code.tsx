// An address as a QR code, which the camera of a phone opens.

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { loadPart } from "../state/load-part.ts";
import type { QrCode } from "./draw-qr-code.ts";

/** Undefined until the code that draws it is loaded, and where that fails. `text` must not change. */
export function useQrCode(text: string): ReadonlySignal<QrCode | undefined> {
  const code = useSignal<QrCode | undefined>(undefined);
  useEffect(() => {
    loadPart(() => import("./draw-qr-code.ts")).then(
      ({ drawQrCode }) => (code.value = drawQrCode(text)),
      () => {},
    );
  }, []);
  return code;
}

/** Hidden from screen readers: the address is always beside it as text. */
export function QrImage({ code: { size, path } }: { code: QrCode }) {
  return (
    <svg class="qr-code" aria-hidden="true" viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
