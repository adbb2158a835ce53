// The tiers of tests by folder: which run in the long round, few at a time, in a process of their own, and early.

/** Several services and engines at a time. More than a few of them would delay each other beyond the service's deadlines. */
export const HEAVY = listLong("nodes", "outages", "hostile", "model", "upgrade");
/** They compare latencies of a service under attack. On a busy machine they would measure the other tests: they run last, alone. */
export const QUIET = listLong("starvation");
/** Their files stop, freeze and flood processes, or forbid the image library to load files, for the whole process. */
export const ALONE = [...HEAVY, ...QUIET, ...listLong("package", "logging", "images")];
/** The longest files. They start early, so that none of them runs alone at the end. */
export const SLOW = [
  ...ALONE,
  "test/browser/",
  "test/long/browser/",
  "test/cli/",
  "test/long/cli/",
  "test/unit/client/",
  "test/unit/project/",
];

function listLong(...names: string[]): string[] {
  return names.map((name) => `test/long/${name}/`);
}

export function isIn(folders: string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder));
}

/** The long round: many nodes, outages, attacks, random inputs, other users, upgrades, packages, most of the console. */
export function isLong(path: string): boolean {
  return path.startsWith("test/long/");
}
