// Invitations for tests: their links, their codes, and the keys of people who have accepted one.

import type { Call } from "./call.ts";

interface Invited {
  id: number;
  url: string;
  code: string;
}

/** On access manage unless `settings` say otherwise. */
export async function invite(call: Call, settings: object): Promise<Invited> {
  const { status, text, json } = await call("POST", "/invitations", {
    body: { access: "manage", ...settings },
  });
  if (status !== 201) throw new Error(text);
  return { id: json.id, url: json.url, code: json.url.slice(json.url.indexOf("#join/") + "#join/".length) };
}

/** The id and the key of a new person, signed in on one device. */
export async function join(
  call: Call,
  settings: object,
  device = "Test",
): Promise<{ id: number; key: string }> {
  const { code } = await invite(call, settings);
  const { json } = await call("POST", "/invitations/accept", { body: { code, device } });
  return { id: json.person.id, key: json.key };
}
