// Sends the file of an import: for a check, with the part that was sent, or to import it, with the rows that are done.

import type { Fetch, ImportReport, ImportSettings } from "../../../client/src/client.ts";
import { ask, connect } from "../shared/state/session.ts";

interface Sending {
  signal: AbortSignal;
  /** A share from 0 to 1 of a check, or the number of rows that are imported. */
  onProgress: (done: number) => void;
}

export function checkFile(file: File, settings: ImportSettings, sending: Sending): Promise<ImportReport> {
  const { signal, onProgress } = sending;
  return ask((_client, apiKey) =>
    connect(apiKey, sendCounting(onProgress)).importAnimals(file, { dryRun: true, settings }, { signal }),
  );
}

export function importFile(file: File, settings: ImportSettings, sending: Sending): Promise<ImportReport> {
  return ask((client) => client.importAnimals(file, { progress: true, settings }, sending));
}

/** Replaces fetch, which does not say how much of a file was sent. */
function sendCounting(onSent: (share: number) => void): Fetch {
  return (url, { headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", url);
      for (const [name, value] of Object.entries(headers as Record<string, string>))
        request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total);
      request.onload = () => resolve(toResponse(request));
      request.onerror = () => reject(new TypeError("The connection was lost."));
      request.onabort = request.onerror;
      signal?.addEventListener("abort", () => request.abort());
      request.send(body as Blob);
    });
}

function toResponse(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
  return new Response(request.responseText, { status: request.status, headers });
}
