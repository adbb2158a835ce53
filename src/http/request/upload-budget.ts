// A budget of bytes for uploads, in memory or on disk: limited for all together, and to 50 % of that for one key.

import { ServiceError } from "../../domain/basics/errors.ts";

export interface Upload {
  /**
   * Runs work that needs the bytes. They stay reserved until its end, even if the client leaves before. Rejects
   * with `bad_request` if the client has left before.
   */
  use<T>(work: (bytes: Buffer) => Promise<T>): Promise<T>;
}

export interface UploadBytes {
  /** Whether this number of bytes would be free for it now. */
  canHold(bytes: number): boolean;
  /** Reserves this number of bytes in all. False if they are not free: then nothing changes. */
  grow(bytes: number): boolean;
  /**
   * Runs work that needs the bytes: they stay reserved until its end, even if `release` is called before. Rejects with
   * `bad_request` after `release`.
   */
  use<T>(work: () => Promise<T>): Promise<T>;
  /** Nothing can be reserved afterwards. */
  release(): void;
}

/** The returned function opens the bytes of an upload: none at first. */
export function createUploadBudget(max: number): (keyId: bigint) => UploadBytes {
  const byKey = new Map<bigint, number>();
  let reserved = 0;

  return (keyId) =>
    openBytes({
      isFree: (bytes) => reserved + bytes <= max && (byKey.get(keyId) ?? 0) + bytes <= max / 2,
      reserve(bytes) {
        reserved += bytes;
        const ofKey = (byKey.get(keyId) ?? 0) + bytes;
        if (ofKey === 0) byKey.delete(keyId);
        else byKey.set(keyId, ofKey);
      },
    });
}

/** `reserve` frees a negative number of bytes. */
function openBytes(shared: { isFree(bytes: number): boolean; reserve(bytes: number): void }): UploadBytes {
  let held = 0;
  let uses = 0;
  let isReleased = false;

  function free(): void {
    if (!isReleased || uses > 0) return;
    shared.reserve(-held);
    held = 0;
  }

  return {
    canHold: (bytes) => shared.isFree(bytes - held),
    grow(bytes) {
      if (isReleased || !shared.isFree(bytes - held)) return false;
      shared.reserve(bytes - held);
      held = bytes;
      return true;
    },
    async use(work) {
      // The bytes count no more, and the result is useless: the client has left.
      if (isReleased) throw new ServiceError("bad_request");
      uses += 1;
      try {
        return await work();
      } finally {
        uses -= 1;
        free();
      }
    },
    release() {
      isReleased = true;
      free();
    },
  };
}
