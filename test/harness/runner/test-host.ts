// The process of test-processes.ts: runs the test files that its parent names, one after another.

import { flushCompileCache } from "node:module";
import { runTestFile } from "./test-file.ts";

export interface HostedFile {
  path: string;
  /** How long something may stay open after the last test. */
  maxLingerMs: number;
}

process.on("disconnect", () => process.exit());
process.on("message", async ({ path, maxLingerMs }: HostedFile) => {
  // Node ends the run of a file when nothing keeps the process alive any more.
  process.channel?.unref();
  const result = await runTestFile(path, maxLingerMs, (report) => process.send?.({ report }));
  process.channel?.ref();
  process.send?.({ result });
  // Node would write what it has compiled only at the end of this process. Others start in the meantime.
  flushCompileCache();
});
