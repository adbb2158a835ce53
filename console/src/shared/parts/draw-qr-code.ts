// Draws a QR code as a path of SVG. Loaded on demand: few views need it.

import { encode } from "uqr";

/** Modules without ink around the code, which readers need. */
const QUIET_MODULES = 4;

export interface QrCode {
  /** In modules, with the quiet ones. */
  size: number;
  /** The dark modules. */
  path: string;
}

export function drawQrCode(text: string): QrCode {
  const { size, data } = encode(text, { ecc: "M", border: QUIET_MODULES });
  const rows = data.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join(""));
  return { size, path: rows.join("") };
}
