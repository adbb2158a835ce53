// Converts stored images to JPEG for a command. In its own process: the bytes are files that the service has written.

import { OperatorError } from "../tools/operator-error.ts";
import { loadSharp } from "./convert.ts";

const QUALITY = 85;

export async function loadJpegConverter(): Promise<(webp: Buffer) => Promise<Buffer>> {
  const sharp = await loadSharp().catch((error: Error) => {
    throw new OperatorError(`Photos cannot be converted: ${error.message}. The command "doctor" says why.`);
  });
  return (webp) => sharp(webp).jpeg({ quality: QUALITY }).toBuffer();
}
