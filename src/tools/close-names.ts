// Finds the known names that a mistyped one may mean. Upper and lower case do not matter.

const LONG = 8;
const LISTED_MAX = 3;
/** More edits per letter than this, rounded up, make another word. */
const EDITS_SHARE = 1 / 3;

/** The closest one. Undefined if `name` differs from every known name by more than a typo. */
export function findClosestName(
  name: string,
  known: readonly string[],
  editsMax = name.length < LONG ? 1 : 2,
): string | undefined {
  return findWithin(name, known, editsMax)[0];
}

/** At most three, the closest first. */
export function findCloseNames(name: string, known: readonly string[]): string[] {
  return findWithin(name, known, Math.ceil(name.length * EDITS_SHARE)).slice(0, LISTED_MAX);
}

function findWithin(name: string, known: readonly string[], editsMax: number): string[] {
  const typed = name.toLowerCase();
  return (
    known
      // Cheap, and excludes most names.
      .filter((each) => Math.abs(each.length - typed.length) <= editsMax)
      .map((each) => ({ each, edits: countEdits(typed, each.toLowerCase()) }))
      .filter(({ edits }) => edits <= editsMax)
      .sort((one, other) => one.edits - other.edits)
      .map(({ each }) => each)
  );
}

/** The fewest characters to insert, delete, replace or swap with the next one. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const replaced = (last[column - 1] as number) + (isSame ? 0 : 1);
      const shorter = Math.min(last[column] as number, current[column - 1] as number) + 1;
      const swapped = isSwap ? (beforeLast[column - 2] as number) + 1 : replaced;
      current.push(Math.min(replaced, shorter, swapped));
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] as number;
}
