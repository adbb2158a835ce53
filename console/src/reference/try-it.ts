// The forms of the operations: send a request to this service, and show its response.

import { writeCurl } from "../../../src/reference/samples/curl.ts";
import { addressOf } from "../shared/state/addresses.ts";
import { formatJson } from "./format-json.ts";
import { currentKey } from "./key.ts";

interface FormRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | File | undefined;
}

const running = new WeakMap<HTMLFormElement, AbortController>();

export function startForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>(".try form"))
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const before = running.get(form);
      if (before) before.abort();
      else void run(form);
    });
}

async function run(form: HTMLFormElement): Promise<void> {
  const controller = new AbortController();
  running.set(form, controller);
  const button = form.querySelector("button.primary") as HTMLButtonElement;
  // A stream ends only when it is stopped.
  button.textContent = "Stop";
  const request = readRequest(form);
  const answer = showRequest(form, request);
  try {
    await receive(request, answer, controller.signal);
  } catch (error) {
    const outcome = partOf(answer, ".outcome");
    outcome.textContent = controller.signal.aborted
      ? `${outcome.textContent} Stopped.`
      : `No answer: ${(error as Error).message}. Is the service running?`;
  }
  running.delete(form);
  button.textContent = "Send";
}

function readRequest(form: HTMLFormElement): FormRequest {
  const { method = "GET", path = "" } = form.dataset;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  if (currentKey() !== "") headers.Authorization = `Bearer ${currentKey()}`;
  for (const { name, value, dataset } of form.querySelectorAll<HTMLInputElement>("[data-in]")) {
    if (dataset.in === "path") filled = filled.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (value === "") continue;
    else if (dataset.in === "header") headers[name] = value;
    else query.set(name, value);
  }
  const file = form.querySelector<HTMLInputElement>("input[type=file]")?.files?.[0];
  const text = form.querySelector("textarea")?.value || undefined;
  if (file !== undefined) headers["Content-Type"] = file.type;
  if (text !== undefined) headers["Content-Type"] = "application/json";
  const url = `${addressOf("v1")}${filled}${query.size > 0 ? `?${query}` : ""}`;
  return { method, url, headers, body: file ?? text };
}

function showRequest(form: HTMLFormElement, { method, url, headers, body }: FormRequest): HTMLElement {
  const template = document.getElementById("answer") as HTMLTemplateElement;
  const answer = template.content.firstElementChild?.cloneNode(true) as HTMLElement;
  partOf(answer, ".outcome").textContent = "Waiting…";
  const content = typeof body === "string" ? { body } : { file: body?.name };
  partOf(answer, ".sent pre").textContent = writeCurl({ method, url, headers, ...content });
  form.querySelector(".answer")?.remove();
  form.append(answer);
  return answer;
}

async function receive(request: FormRequest, answer: HTMLElement, signal: AbortSignal): Promise<void> {
  const { url, method, headers, body = null } = request;
  const startMs = performance.now();
  const response = await fetch(url, { method, headers, body, signal, cache: "no-store" });
  const { status, statusText } = response;
  const ms = Math.round(performance.now() - startMs);
  partOf(answer, ".outcome").textContent = `${status} ${statusText} after ${ms} ms.`;
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  partOf(answer, ".headers summary").textContent = `Headers (${lines.length})`;
  partOf(answer, ".headers pre").textContent = lines.join("\n");

  const shown = partOf(answer, ".body");
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    shown.textContent = formatJson(text);
    shown.hidden = text === "";
    return;
  }
  const decoder = new TextDecoderStream();
  const reader = response.body?.pipeThrough(decoder).getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    shown.append(part.value);
}

function partOf(answer: HTMLElement, selector: string): HTMLElement {
  return answer.querySelector(selector) as HTMLElement;
}
