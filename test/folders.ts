// Folders and files of tests with special needs: which run few at a time, in a process of their own, early, and in the long round.

/** Several services and engines at a time. More than a few of them would delay each other beyond the service's deadlines. */
export const HEAVY = ["test/nodes/", "test/faults/", "test/hostile/", "test/model/", "test/upgrade/"];
/** Their files stop, freeze and flood processes, or forbid the image library to load files, for the whole process. */
export const ALONE = [...HEAVY, "test/package/", "test/logging/", "test/images/"];
/**
 * The long round, `npm run test:long`: many nodes, engines that fail, kills, attacks, partners that read or write slowly,
 * random inputs, other users, upgrades, packages, the benchmark itself, and most of the console in the browser.
 */
const LONG = [
  ...["test/nodes/", "test/faults/", "test/hostile/", "test/package/", "test/upgrade/", "test/model/"],
  ...["test/logging/", "test/images/", "test/bench/", "test/webhooks/backlog.test.ts", "test/browser/"],
  ...["test/cli/store-owner.test.ts", "test/cli/stop.test.ts", "test/cli/import-photos.test.ts"],
  ...["test/cli/backup-folder.test.ts", "test/cli/planted-links.test.ts"],
  ...["test/http/uploads.test.ts", "test/http/pipelines.test.ts", "test/http/slow-streams.test.ts"],
  ...["test/http/fuzz.test.ts", "test/contract/search.test.ts", "test/client/readme.test.ts"],
];
/** Nevertheless in `npm test`: the daily work of shelter staff, and the reference. */
const DAILY = ["sign-in", "animals", "animal", "import", "orders"].map(
  (name) => `test/browser/console-${name}.test.ts`,
);
const SHORT = [...DAILY, "test/browser/reference.test.ts", "test/browser/files.test.ts"];
/** The longest files. They start early, so that none of them runs alone at the end. */
export const SLOW = [...ALONE, "test/browser/", "test/cli/", "test/client/"];

export function isIn(folders: string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder));
}

export function isLong(path: string): boolean {
  return isIn(LONG, path) && !isIn(SHORT, path);
}
