// The columns of a file that an import does not read, each with those that it may have been meant to be.

import { findClosestName } from "../../tools/close-names.ts";

/** Further ones are not collected: every line of NDJSON may have others. */
const COLLECTED_MAX = 100;

export interface IgnoredColumn {
  name: string;
  /** Columns that would be read and that the file does not have; empty if none has a similar name. */
  meant: string[];
}

/** `absent` are the columns that would be read but are not in the file. */
export function describeIgnored(names: Iterable<string>, absent: readonly string[]): IgnoredColumn[] {
  return Array.from(names, (name) => ({ name, meant: findMeant(name, absent) }));
}

function findMeant(name: string, absent: readonly string[]): string[] {
  const others = absent.filter((each) => each !== name);
  const closest = findClosestName(name, others);
  if (closest !== undefined) return [closest];
  // Such as "fee" and "goodWith.kids", of which there are other parts.
  const typed = name.toLowerCase();
  const whole = typed.includes(".") ? typed.slice(0, typed.lastIndexOf(".")) : typed;
  return whole === "profile" ? [] : others.filter((each) => each.toLowerCase().startsWith(`${whole}.`));
}

/** The members of all objects of a file. A member in another one has a path such as `profile.fee.amount`. */
export interface FoundMembers {
  known: Set<string>;
  unknown: Set<string>;
  note(value: object): void;
}

/** `levels` has the known members of an object by its path and a dot; that of the row itself is empty. */
export function createFoundMembers(levels: ReadonlyMap<string, ReadonlySet<string>>): FoundMembers {
  const known = new Set<string>();
  const unknown = new Set<string>();

  function note(value: unknown, level: string): void {
    const members = levels.get(level);
    if (members === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const path = `${level}${name}`;
      if (!members.has(name)) {
        if (unknown.size < COLLECTED_MAX) unknown.add(path);
        continue;
      }
      known.add(path);
      note(member, `${path}.`);
    }
  }

  return { known, unknown, note: (value) => note(value, "") };
}
