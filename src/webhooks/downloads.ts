// Downloads of files from other servers, under the rules of webhooks: public addresses, no redirects, limits of time and bytes.

import type { ClientRequest, IncomingMessage } from "node:http";
import { CONNECT_MS } from "../domain/webhooks/attempt-timeouts.ts";
import { RECEIVED_BYTES_MAX } from "../domain/webhooks/webhook-limits.ts";
import { VERSION } from "../tools/program.ts";
import { describeFailure } from "./failures.ts";
import { openRequest, orAborted, startLimits } from "./request.ts";
import { boundResponse } from "./response-bounds.ts";
import type { Targets } from "./targets.ts";

/** 12 MiB within it need 1.7 Mbit/s. */
const DOWNLOAD_MS = 60_000;

/** Says why a file could not be downloaded. */
export class DownloadError extends Error {}

/** Rejects with a DownloadError. */
type Download = (url: string, bytesMax: number) => Promise<Buffer>;

interface DownloadOptions {
  targets: Targets;
  connectMs?: number;
  downloadMs?: number;
  /** Certificate authorities that replace Node's. */
  ca?: string | undefined;
}

export function createDownload(options: DownloadOptions): Download {
  const { targets, connectMs = CONNECT_MS, downloadMs = DOWNLOAD_MS, ca } = options;
  const headers = { "user-agent": `animal-store/${VERSION}`, accept: "image/*" };
  return async (url, bytesMax) => {
    const limits = startLimits(new AbortController().signal, connectMs, downloadMs);
    try {
      const target = await orAborted(() => targets.find(url), limits.signal);
      const request = await openRequest(target, { method: "GET", headers, limits, ca });
      // The framing of chunks comes on top of the file.
      boundResponse(request, 2 * bytesMax + RECEIVED_BYTES_MAX);
      return await receive(request, bytesMax);
    } catch (failure) {
      if (failure instanceof DownloadError) throw failure;
      const { signal } = limits;
      throw new DownloadError(signal.aborted ? signal.reason.message : describeFailure(failure));
    } finally {
      limits.end();
    }
  };
}

async function receive(request: ClientRequest, bytesMax: number): Promise<Buffer> {
  const received = new Promise<Buffer>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const fault = findFault(response, bytesMax);
      if (fault !== undefined) return reject(fault);
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > bytesMax) reject(tooLarge(bytesMax));
      });
      response.on("end", () => resolve(Buffer.concat(chunks)));
      for (const event of ["error", "close"]) response.on(event, () => reject(incomplete()));
    });
    request.on("close", () => reject(incomplete()));
  });
  request.end();
  return received.finally(() => request.destroy());
}

function findFault(
  { statusCode = 0, headers }: IncomingMessage,
  bytesMax: number,
): DownloadError | undefined {
  if (statusCode >= 300 && statusCode < 400)
    return new DownloadError(`the server redirects to another address (status ${statusCode})`);
  if (statusCode !== 200) return new DownloadError(`the server answers with status ${statusCode}`);
  return Number(headers["content-length"] ?? 0) > bytesMax ? tooLarge(bytesMax) : undefined;
}

function tooLarge(bytesMax: number): DownloadError {
  return new DownloadError(`it is larger than ${bytesMax / 1024 / 1024} MiB`);
}

function incomplete(): DownloadError {
  return new DownloadError("the connection was closed before the end of the file");
}
