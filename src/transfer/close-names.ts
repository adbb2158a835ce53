// Finds names that are almost like a given one, for the message about an unknown name.

const LISTED_MAX = 3;
/** More differences than a third of the letters, rounded up, make another word. */
const DIFFERENCES_SHARE = 1 / 3;

/** At most three, the closest first. */
export function findCloseNames(name: string, known: string[]): string[] {
  const wanted = name.toLowerCase();
  const allowed = Math.ceil(wanted.length * DIFFERENCES_SHARE);
  return known
    .filter((each) => Math.abs(each.length - wanted.length) <= allowed)
    .map((each) => ({ each, differences: countDifferences(wanted, each.toLowerCase()) }))
    .filter(({ differences }) => differences <= allowed)
    .sort((one, other) => one.differences - other.differences)
    .slice(0, LISTED_MAX)
    .map(({ each }) => each);
}

/** Levenshtein distance: letters to insert, delete or replace. */
function countDifferences(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] as number) + (letter === other[column - 1] ? 0 : 1);
      const shorter = Math.min(row[column] as number, next[column - 1] as number) + 1;
      next.push(Math.min(replaced, shorter));
    }
    row = next;
  }
  return row.at(-1) as number;
}
