// The public site of a store: whether people without a key see its animals, and how it looks.

import type { Species } from "../animals/profile.ts";
import type { Page } from "../basics/page.ts";
import { type AuditOrigin, findChange, type RecordedChange } from "../keys/audit.ts";
import type { ShelterSummary } from "../shelters/shelter.ts";

export const SITE_LANGUAGES = ["en", "de"] as const;
export type SiteLanguage = (typeof SITE_LANGUAGES)[number];

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

/** Everything that decides which pages are current. */
export interface SiteState {
  site: Site;
  /** Its title, or the name of the first shelter. */
  title: string;
  /** Differs after every change of animals, shelters and categories. */
  version: string;
}

export interface PublicAnimal {
  id: bigint;
  updatedAtMs: number;
}

/** A change is recorded in the audit log, in the same transaction. */
export interface SiteStore {
  readState(): Promise<SiteState>;
  update(changes: SiteChanges, origin: AuditOrigin): Promise<Site>;
  /** Animals that are available or pending, in ascending order of id. */
  listAnimals(page: Page): Promise<PublicAnimal[]>;
  /** All shelters that have such animals, in ascending order of id. */
  listShelters(): Promise<ShelterSummary[]>;
  /** The species of such animals, in the order of SPECIES. */
  listSpecies(): Promise<Species[]>;
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

export function auditSiteUpdate(before: Site, after: Site): RecordedChange {
  return { action: "site.updated", ...findChange(membersOf(before), membersOf(after)) };
}

function membersOf(site: Site) {
  return { title: null, introduction: null, accent: null, ...site };
}
