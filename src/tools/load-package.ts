// Loads a CommonJS package on demand.

import { createRequire } from "node:module";

/** Not by import(): Node keeps its failure, for example for lack of file descriptors, until the process ends. */
export const loadPackage = createRequire(import.meta.url);
