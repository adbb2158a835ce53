// Schemas of the public site.

import { nameRule } from "../../domain/basics/text.ts";
import { SITE_INTRODUCTION_MAX, SITE_TITLE_MAX } from "../../domain/basics/text-limits.ts";
import { ACCENT_PATTERN, SITE_LANGUAGES, type SiteChanges } from "../../domain/site/site.ts";
import { lines, named, optional, removable } from "./members.ts";
import { Type } from "./type.ts";

const CHANGE = { isPublic: true, title: "Riverside animals", accent: "#2f6f4f" };
const OPEN_SITE = { isPublic: true, title: CHANGE.title, language: "en", accent: CHANGE.accent };

const required = {
  isPublic: Type.Boolean({ description: "Whether people without a key see the animals." }),
  language: Type.Enum(SITE_LANGUAGES, { title: "SiteLanguage", description: "The language of the pages." }),
};
const details = {
  title: named(
    SITE_TITLE_MAX,
    CHANGE.title,
    `Title of the site: ${nameRule(SITE_TITLE_MAX)}. Absent: the name of the first shelter.`,
  ),
  introduction: lines(SITE_INTRODUCTION_MAX, "Plain text before the list of animals"),
  accent: Type.String({
    pattern: ACCENT_PATTERN,
    "x-allowed": "a colour as # and six lower-case hexadecimal digits, such as #2f6f4f",
    description:
      "Colour of buttons and links; colours of text are derived from it. Absent: the product's own.",
    examples: [CHANGE.accent],
  }),
};

export const Site = Type.Named("Site", "The public site, one for each store.", [OPEN_SITE], {
  ...required,
  ...optional(details),
});

export const SitePatch = Type.Unsafe<SiteChanges>(
  Type.Patch(
    "SitePatch",
    "Changes to the public site. Absent members stay unchanged; `null` removes `title`, `introduction` or `accent`.",
    [CHANGE],
    { ...optional(required), ...removable(details) },
  ),
);

export const SITE_COMPONENTS = [Site, SitePatch, required.language];
