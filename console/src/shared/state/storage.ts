// The storage of the browser. Where it is forbidden, nothing is found and nothing is kept.

type Storage = "sessionStorage" | "localStorage";

export function readStored(storage: Storage, name: string): string | undefined {
  try {
    return globalThis[storage].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined removes the value. Returns whether it was stored. */
export function writeStored(storage: Storage, name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) globalThis[storage].removeItem(name);
    else globalThis[storage].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
