// The folder with the photos of an import: no link leads out of it, however similar the names.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPhotoFolder } from "../../../src/transfer/import/photo-folder.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

/** Enough for the check of the first bytes. */
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

test("a link into another folder is refused, also if its name begins like the folder's", (t) => {
  const above = makeFolder(t);
  const folder = join(above, "photos");
  for (const name of ["photos", "photos/inner", "photos-private", "other"]) mkdirSync(join(above, name));
  for (const name of ["photos/inner/a.png", "photos-private/a.png", "other/a.png"])
    writeFileSync(join(above, name), PNG);
  symlinkSync(join(folder, "inner/a.png"), join(folder, "inside.png"));
  symlinkSync("../photos-private/a.png", join(folder, "similar.png"));
  symlinkSync("../other/a.png", join(folder, "other.png"));
  const { check } = openPhotoFolder(folder);
  check("inside.png");
  for (const name of ["similar.png", "other.png"])
    assert.throws(() => check(name), /it is a link that leads out of the folder/, name);
});

test("a named pipe is refused at once", (t) => {
  const folder = makeFolder(t);
  execFileSync("mkfifo", [join(folder, "pipe.png")]);
  assert.throws(() => openPhotoFolder(folder).check("pipe.png"), /it is not a file/);
});
