// People who sign in during a test.

import type { Answer, Call } from "./call.ts";

interface Joined {
  key: string;
  person: {
    id: number;
    name: string;
    access: string;
    shelterId?: number;
    status: string;
    devices: number;
    createdAt: string;
    lastUsedAt?: string;
  };
}

/** The code in the address of an invitation or a link. */
export function codeOf(url: string): string {
  return url.split("#join/")[1] ?? "";
}

/** Without a key unless `options` has one. */
export function accept(call: Call, body: object, options: object = {}): Promise<Answer> {
  return call("POST", "/invitations/accept", { key: undefined, body, ...options });
}

/** Invites somebody with the key of an admin, and signs in on one device. */
export async function joinAs({ call }: { call: Call }, invited: object): Promise<Joined> {
  const invitation = await call("POST", "/invitations", { body: invited });
  if (invitation.status !== 201) throw new Error(invitation.text);
  const joined = await accept(call, { code: codeOf(invitation.json.url), device: "Phone" });
  if (joined.status !== 201) throw new Error(joined.text);
  return joined.json;
}
