// The key from which all webhook secrets are derived: from the settings, or from a file beside a SQLite store.

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link } from "node:fs/promises";
import { dirname } from "node:path";
import {
  NEW_FILE,
  partialOf,
  removeLeftovers,
  syncFolder,
  withFile,
  withTemporaryFiles,
} from "../files/atomic-file.ts";
import { OperatorError } from "../tools/operator-error.ts";

const KEY_BYTES = 32;
/** Base64 of the bytes, and a line feed. The text is also a valid WEBHOOK_SECRET_KEY, for a move to PostgreSQL. */
const KEY_FILE = /^([A-Za-z0-9+/]{43}=)\n$/;
/** A link could lead to any file. Windows has no such flag. */
const READ_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

interface KeySources {
  /** WEBHOOK_SECRET_KEY, which wins over the file. */
  secretKey: string | undefined;
  /** The file of a SQLite store; undefined with PostgreSQL, whose nodes share no folder. */
  storePath: string | undefined;
}

/** Creates the file if it is missing. Undefined if the key cannot be stored: then webhooks are unavailable. */
export async function openMasterKey(sources: KeySources): Promise<string | undefined> {
  const { storePath } = sources;
  const found = await findMasterKey(sources);
  return found ?? (storePath === undefined ? undefined : createKey(keyFileOf(storePath)));
}

/** Undefined if there is none yet. */
export async function findMasterKey({ secretKey, storePath }: KeySources): Promise<string | undefined> {
  if (secretKey !== undefined) return secretKey;
  return storePath === undefined ? undefined : readKey(keyFileOf(storePath));
}

/** Not in the database, so that neither a backup nor a dump contains it. */
export function keyFileOf(storePath: string): string {
  return `${storePath}-webhook-key`;
}

/** Undefined if there is no file. */
async function readKey(path: string): Promise<string | undefined> {
  const text = await withFile(path, READ_FILE, (file) => file.readFile("utf8")).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw new OperatorError(
        `Cannot read ${path}, the key of the webhooks: ${error.message}. It must be a file of the service's user.`,
      );
    },
  );
  if (text === undefined) return undefined;
  const key = KEY_FILE.exec(text)?.[1];
  if (key !== undefined) return key;
  throw new OperatorError(
    `${path} is not a key of webhooks. Put back a copy of it. If there is none, delete it: a new key is created, and every webhook needs a new secret (webhooks rotate).`,
  );
}

async function createKey(path: string): Promise<string> {
  const key = randomBytes(KEY_BYTES).toString("base64");
  const partial = partialOf(path);
  removeLeftovers(path);
  await withTemporaryFiles([partial], async () => {
    await withFile(partial, NEW_FILE, async (file) => {
      await file.writeFile(`${key}\n`);
      await file.sync();
    });
    await publishOnce(path);
  });
  await syncFolder(dirname(path));
  // Another process may have been faster.
  return (await readKey(path)) ?? key;
}

/** Never replaces a file, unlike a rename: the key of the process that came first may already be in use. */
async function publishOnce(path: string): Promise<void> {
  await link(partialOf(path), path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}
