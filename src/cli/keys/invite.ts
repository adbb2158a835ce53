// `keys invite`: a link, and a QR code of it, by which a person signs in without a key.

import { withStores } from "../../command-stores.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import { describeInvitation, joinUrl, readInvitation } from "../../domain/people/invitation.ts";
import { formatUrl } from "../../tools/local-url.ts";
import { escapeUnsafe } from "../../tools/shown-text.ts";
import { missingOptions, readFlags, SWITCH } from "../command.ts";
import { print, printJson, printNote, printProperties, showTime } from "../output.ts";
import { drawQrCode } from "../qr-code.ts";
import { SETTINGS } from "./settings.ts";

const LOCAL =
  "PUBLIC_URL is not set here, so the link works on this machine only. Set it as for the service, and invite again.";

export async function invite(args: string[]): Promise<void> {
  const { name, access, shelter } = SETTINGS;
  const { flags } = readFlags(args, { name, access, shelter, json: SWITCH });
  const missing = { name: flags.name, access: flags.access };
  if (Object.values(missing).includes(undefined)) throw missingOptions(missing);
  const wish = { ...missing, shelterId: flags.shelter };
  // Before the store is opened.
  readInvitation(wish);
  const config = readConfig();
  await withStores(config, async ({ stores }) => {
    const { invitation, code } = await stores.people.invite(wish, { command: "keys invite" });
    const described = describeInvitation(invitation, systemClock.nowMs());
    const url = joinUrl(findPublicUrl(config), code);
    if (flags.json) printJson({ ...described, url });
    else printInvitation(described, url);
  });
}

function findPublicUrl({ publicUrl, host, port }: Config): string {
  if (publicUrl === undefined) printNote(LOCAL);
  return publicUrl ?? formatUrl(host, port);
}

function printInvitation(invitation: ReturnType<typeof describeInvitation>, url: string): void {
  const { id, name, access, shelterId, expiresAt } = invitation;
  print(`${url}\n\n${drawQrCode(url, process.stdout.isTTY)}\n`);
  print("Whoever opens this link first signs in as this person. It cannot be shown again.\n");
  printProperties({
    invitation: String(id),
    name: escapeUnsafe(name),
    access,
    ...(shelterId !== undefined && { shelter: String(shelterId) }),
    expires: showTime(expiresAt),
  });
}
