// Try-it forms of the reference page: send a request to this service and show its response unchanged.

import { addressOf } from "../state/addresses.ts";
import { findStoredKey, storeKey } from "../state/stored-key.ts";

const key = document.getElementById("key") as HTMLInputElement;
key.value = findStoredKey() ?? "";
key.addEventListener("input", () => storeKey(key.value === "" ? undefined : key.value));
key.form?.addEventListener("submit", (event) => event.preventDefault());

for (const form of document.querySelectorAll<HTMLFormElement>("form.try")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const shown = form.querySelector<HTMLElement>(".answer");
    if (shown === null) return;
    shown.hidden = false;
    shown.textContent = "…";
    try {
      const answer = await send(form);
      shown.textContent = describeHead(answer);
      // As it arrives: a stream has no end.
      const decoder = new TextDecoder();
      const reader = answer.body?.getReader();
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        shown.append(decoder.decode(part.value, { stream: true }));
    } catch (error) {
      shown.textContent = `No answer: ${(error as Error).message}. Is the service running?`;
    }
  });
}

function send(form: HTMLFormElement): Promise<Response> {
  const { method = "GET", path = "" } = form.dataset;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  for (const { name, value, dataset } of form.querySelectorAll<HTMLInputElement>("input[data-in]")) {
    if (dataset.in === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === "header" && value !== "") headers[name] = value;
    else if (value !== "") query.set(name, value);
  }
  // The browser sends the type of a file.
  const file = form.querySelector<HTMLInputElement>("input[type=file]")?.files?.[0];
  const text = form.querySelector("textarea")?.value || undefined;
  if (text !== undefined) headers["content-type"] = "application/json";
  if (key.value !== "") headers.authorization = `Bearer ${key.value}`;
  const target = `${addressOf("v1")}${filled}${query.size > 0 ? `?${query}` : ""}`;
  return fetch(target, { method, headers, body: file ?? text ?? null, cache: "no-store" });
}

function describeHead(answer: Response): string {
  const lines = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
  return `${answer.status} ${answer.statusText}\n${lines.join("\n")}\n\n`;
}
