// The appearance of the public pages as the fields of a form, and the changes that a form makes to it.

import type { Site, SitePatch } from "../../../client/src/client.ts";

/** The empty text stands for a member that the site does not have. */
export interface SiteFields {
  title: string;
  introduction: string;
  language: Site["language"];
  accent: string;
}

export function toFields({ title = "", introduction = "", language, accent = "" }: Site): SiteFields {
  return { title, introduction, language, accent };
}

/** Only what was changed: the service keeps the rest, which others may change at the same time. */
export function toPatch(before: SiteFields, after: SiteFields): SitePatch {
  const patch: SitePatch = after.language === before.language ? {} : { language: after.language };
  for (const name of ["title", "introduction", "accent"] as const)
    if (after[name].trim() !== before[name]) patch[name] = after[name].trim() || null;
  return patch;
}
