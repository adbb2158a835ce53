// The listing: an animal with its profile and photos, as people see it before they adopt.

import type { Page } from "../basics/page.ts";
import type { Precondition } from "../basics/precondition.ts";
import type { Near } from "../shelters/distance.ts";
import { FIRST_SHELTER, type ShelterSummary } from "../shelters/shelter.ts";
import type { Change, ChangedState, ChangeOrigin } from "./history.ts";
import { LISTING_SHAPE, summaryJson, writeShape } from "./json-shapes.ts";
import { type ListedPhoto, mapUrls } from "./listed-photo.ts";
import type { Pet, PetStatus } from "./pet.ts";
import {
  type AgeGroup,
  ageGroupOf,
  type Companion,
  type Profile,
  type ProfileChanges,
  type Sex,
  type Size,
  type Species,
} from "./profile.ts";

export interface Listing extends Pet {
  /** Undefined if the category has no name. */
  categoryName: string | undefined;
  profile: Profile;
  photos: ListedPhoto[];
  shelter: ShelterSummary;
  createdAtMs: number;
  /** When the animal, its profile or its photos changed last. */
  updatedAtMs: number;
}

export const LISTING_SORTS = ["newest", "oldest"] as const;
/** Stands for every status. */
export const ANY_STATUS = "any";

/** Absent members do not restrict the list. */
export interface ListingFilter {
  statuses?: readonly PetStatus[] | undefined;
  categoryId?: bigint | undefined;
  species?: Species | undefined;
  sex?: Sex | undefined;
  size?: Size | undefined;
  ageGroup?: AgeGroup | undefined;
  /** Good with all of them. */
  goodWith?: readonly Companion[] | undefined;
  ids?: readonly bigint[] | undefined;
  shelterIds?: readonly bigint[] | undefined;
  /** Animals of shelters in this circle. */
  near?: Near | undefined;
  updatedSinceMs?: number | undefined;
  /** The normalised words of a search; all of them must be found. */
  words?: readonly string[] | undefined;
}

interface ListingView {
  /** By age of the entry: ids ascend in the order of arrival. */
  sort: (typeof LISTING_SORTS)[number];
  /** Age groups depend on the day. */
  nowMs: number;
  /** Where the addresses of photos begin. */
  publicUrl: string;
  /** Without `custom`. Which animals are public is up to the filter. */
  isPublic?: boolean | undefined;
}

/** Listings as sent to clients. */
interface ListingPageJson {
  /** A JSON array. */
  json: string;
  /** The id after which the next page begins; undefined on the last page. A long search ends with a page that is not full. */
  nextAfter: bigint | undefined;
}

interface ListingCount {
  /** At most `LISTING_COUNT_MAX`. */
  count: number;
  /** False if there are more, or if a long search ended before it had seen all animals: then there are at least `count`. */
  isExact: boolean;
}

export interface ListingStore {
  /** At most `page.limit`, starting after `page.after` in the order of the list. */
  list(filter: ListingFilter, page: Page, view: ListingView): Promise<ListingPageJson>;
  /** The number of animals in the list. Age groups depend on the day. */
  count(filter: ListingFilter, nowMs: number): Promise<ListingCount>;
  /** Resolves to undefined when no animal has this id. */
  find(id: bigint): Promise<Listing | undefined>;
  /**
   * With `shelterId`, the animal moves. Undefined for an unknown id. Throws `other_shelter`, `precondition_failed`,
   * `invalid_body` for an unknown shelter, `external_id_taken`.
   */
  updateProfile(
    id: bigint,
    changes: ProfileChanges & { shelterId?: bigint | undefined },
    origin: ChangeOrigin,
    precondition?: Precondition<Listing>,
  ): Promise<Listing | undefined>;
}

/** The listing as clients see it at this time. */
export function listingJson(listing: Listing, view: Omit<ListingView, "sort">): string {
  const { nowMs, publicUrl, isPublic } = view;
  const { custom, ...profile } = listing.profile;
  const shown = isPublic ? { ...listing, profile } : listing;
  return writeListing(shown, ageGroupOf(profile, nowMs), publicUrl);
}

/** The state of a listing in the history: complete, because an event needs no second request. */
export function listingState(listing: Listing, nowMs: number): ChangedState {
  const { name, categoryId, status, categoryName, profile, photos, shelter, createdAtMs } = listing;
  const ageGroup = ageGroupOf(profile, nowMs);
  const state: ChangedState = { name, categoryId, status, profile, photos, shelter, createdAtMs };
  if (categoryName !== undefined) state.categoryName = categoryName;
  if (ageGroup !== undefined) state.ageGroup = ageGroup;
  return state;
}

/** The listing of a change, as it was at that time. Changes recorded before there were shelters have none. */
export function changedListingJson({ petId, to, atMs }: Change, publicUrl: string): string {
  const { name = "", categoryId = 0n, status, categoryName, profile = {}, photos = [] } = to as ChangedState;
  const { ageGroup, shelter = FIRST_SHELTER, createdAtMs = atMs } = to as ChangedState;
  const pet = { id: petId, name, categoryId, status: status as PetStatus };
  const listing = { ...pet, categoryName, profile, photos, shelter, createdAtMs, updatedAtMs: atMs };
  return writeListing(listing, ageGroup, publicUrl);
}

function writeListing(listing: Listing, ageGroup: AgeGroup | undefined, publicUrl: string): string {
  const { createdAtMs, updatedAtMs, ...members } = listing;
  return writeShape(LISTING_SHAPE, {
    ...members,
    ageGroup,
    photos: mapUrls(listing.photos, (path) => `${publicUrl}${path}`),
    shelter: summaryJson(listing.shelter),
    createdAt: createdAtMs,
    updatedAt: updatedAtMs,
  });
}
