// Finds the known name that a mistyped one probably means.

const LONG = 8;

/** Undefined if `name` differs from every known name by more than a typo. Upper and lower case do not matter. */
export function findClosestName(name: string, known: readonly string[]): string | undefined {
  const limit = name.length < LONG ? 1 : 2;
  const typed = name.toUpperCase();
  return known.find((each) => countEdits(typed, each.toUpperCase()) <= limit);
}

/** The fewest characters to insert, delete, replace or swap with the next one. */
function countEdits(from: string, to: string): number {
  const table = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => table[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    table.push([row]);
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      table[row]?.push(Math.min(replaced, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(from.length, to.length);
}
