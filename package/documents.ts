// Adapts a document of the project for the package: its command, and links to files that the package does not have.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const LINK = /(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)/g;

/** `file` is the path of the document inside `folder`, where the package is put together. */
export function adaptDocument(text: string, folder: string, file: string): string {
  return text
    .replaceAll("npm run -s animal-store -- ", "animal-store ")
    .replaceAll(LINK, (link, image, label, target) => {
      const isPresent = /^https?:/.test(target) || existsSync(join(folder, dirname(file), target));
      if (isPresent) return link;
      return image === "" ? label : "";
    });
}
