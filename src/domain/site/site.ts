// The public site of a store: whether people without a key see its animals, and how it looks.

import type { AuditOrigin } from "../keys/audit.ts";

export const SITE_LANGUAGES = ["en", "de"] as const;
export type SiteLanguage = (typeof SITE_LANGUAGES)[number];

export const SITE_TITLE_MAX = 100;
export const SITE_INTRODUCTION_MAX = 1_000;
/** Linear: a fixed length. */
export const ACCENT_PATTERN = "^#[0-9a-f]{6}$";

export interface Site {
  isPublic: boolean;
  /** Absent: the name of the first shelter. */
  title?: string;
  introduction?: string;
  language: SiteLanguage;
  /** A colour such as `#2f6f4f`. Absent: the product's own. */
  accent?: string;
}

export const CLOSED_SITE: Site = { isPublic: false, language: "en" };

/** Absent members stay unchanged; null removes one. */
export interface SiteChanges {
  isPublic?: boolean | undefined;
  title?: string | null | undefined;
  introduction?: string | null | undefined;
  language?: SiteLanguage | undefined;
  accent?: string | null | undefined;
}

/** A change is recorded in the audit log, in the same transaction. */
export interface SiteStore {
  read(): Promise<Site>;
  update(changes: SiteChanges, origin: AuditOrigin): Promise<Site>;
}

/** Its members have a fixed order: equal sites have equal JSON. */
export function reviseSite(site: Site, changes: SiteChanges): Site {
  const title = changes.title === undefined ? site.title : changes.title?.trim();
  const introduction = changes.introduction === undefined ? site.introduction : changes.introduction;
  const accent = changes.accent === undefined ? site.accent : changes.accent;
  return {
    isPublic: changes.isPublic ?? site.isPublic,
    ...(title && { title }),
    ...(introduction && { introduction }),
    language: changes.language ?? site.language,
    ...(accent && { accent }),
  };
}
