// Schemas of listings.

import { ANY_STATUS, LISTING_SORTS } from "../../domain/animals/listing.ts";
import { PET_STATUSES } from "../../domain/animals/pet.ts";
import { AGE_GROUPS, COMPANIONS } from "../../domain/animals/profile.ts";
import { SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX } from "../../domain/animals/search-text.ts";
import { LISTED_IDS_MAX, LISTED_SHELTERS_MAX, LISTING_COUNT_MAX } from "../../domain/basics/list-limits.ts";
import { CategoryName } from "./categories.ts";
import {
  EXAMPLE_TIME,
  freeText,
  identifier,
  idList,
  pageQuery,
  parameter,
  Timestamp,
  wordList,
} from "./members.ts";
import { Pet, RENAMED_REX } from "./pets.ts";
import { Photo } from "./photos.ts";
import { Profile, REX_PROFILE, Sex, Size, Species } from "./profiles.ts";
import { FIRST_SUMMARY, NEAR_PARAMETERS, ShelterSummary } from "./shelters.ts";
import { Type } from "./type.ts";

const WORDS = PET_STATUSES.join("|");
export const STATUS_LIST = `^(?:${ANY_STATUS}|(?:${WORDS})(?:,(?:${WORDS}))*)$`;

const UPDATED_AT = "2026-11-15T09:50:00.000Z";
export const LISTED_REX = {
  ...RENAMED_REX,
  categoryName: "Dogs",
  ageGroup: "adult",
  profile: REX_PROFILE,
  photos: [],
  shelter: FIRST_SUMMARY,
  createdAt: EXAMPLE_TIME,
  updatedAt: UPDATED_AT,
};

const AgeGroup = Type.Enum(AGE_GROUPS, {
  title: "AgeGroup",
  description:
    "Under 6 months, under 2 years, under 9 years, or older; derived from `bornOn` on the current UTC day.",
});

export const Listing = Type.Named("Listing", "An animal with its profile and photos.", [LISTED_REX], {
  ...Pet.properties,
  categoryName: Type.Optional(Type.Described(CategoryName, "Name of the category; absent if it has none.")),
  ageGroup: Type.Optional(AgeGroup),
  profile: Profile,
  photos: Type.Array(Photo, { description: "The first is the cover." }),
  shelter: ShelterSummary,
  createdAt: Timestamp,
  updatedAt: Type.Described(Timestamp, "When the animal, its profile or its photos changed last."),
});

export const Listings = Type.List(
  "Listings",
  "Listings in descending order of id or, with `sort=oldest`, in ascending order.",
  Listing,
);

const SEARCH = `At most ${SEARCH_WORDS_MAX} words, each of which must occur in the name, breeds, category name, tags, external id or description, ignoring case and accents. A word of one or two letters must begin a word of the name; Chinese, Japanese and Korean characters are words of their own, found in all of these texts. A word of digits also matches the id. Animals whose name contains every word come first.`;

/** Which animals a list has. */
const FILTERS = {
  status: Type.Optional(
    Type.String({
      pattern: STATUS_LIST,
      "x-allowed": `${ANY_STATUS}, or a list, separated by commas, of ${PET_STATUSES.join(", ")}`,
      default: "available",
      description: "Only animals with one of these statuses, separated by commas; `any` for all.",
      examples: [LISTED_REX.status],
    }),
  ),
  q: Type.Optional(freeText(SEARCH_LENGTH_MAX, "rex", SEARCH)),
  categoryId: Type.Optional(identifier("Only animals of this category.", LISTED_REX.categoryId)),
  species: parameter(Species, "Only animals of this species.", REX_PROFILE.species),
  sex: parameter(Sex, "Only animals of this sex.", REX_PROFILE.sex),
  size: parameter(Size, "Only animals of this size.", REX_PROFILE.size),
  ageGroup: parameter(AgeGroup, "Only animals of this age today.", LISTED_REX.ageGroup),
  goodWith: Type.Optional(
    wordList(COMPANIONS, "Only animals that are good with all of these, separated by commas.", "children"),
  ),
  ids: Type.Optional(idList(LISTED_IDS_MAX, "Only these animals")),
  shelterId: Type.Optional(idList(LISTED_SHELTERS_MAX, "Only animals of these shelters")),
  near: Type.Optional(
    Type.Described(
      NEAR_PARAMETERS.near,
      "Only animals of shelters near this place: LATITUDE,LONGITUDE in degrees. A shelter without a location is never near.",
    ),
  ),
  within: NEAR_PARAMETERS.within,
  updatedSince: parameter(Timestamp, "Only listings that changed at this time or later.", EXAMPLE_TIME),
};

export const ListingCountQuery = Type.Object(FILTERS);

export const ListingCount = Type.Named(
  "ListingCount",
  `The number of animals in a list. Counting stops at ${LISTING_COUNT_MAX}.`,
  [{ count: 1, exact: true }],
  {
    count: Type.Integer({ minimum: 0, maximum: LISTING_COUNT_MAX, description: "Animals in the list." }),
    exact: Type.Boolean({ description: "False if there may be more animals than `count`." }),
  },
);

export const ListingsQuery = pageQuery({
  ...FILTERS,
  q: Type.Optional(
    Type.Described(
      FILTERS.q,
      `${SEARCH} A page can have fewer items than \`limit\`, or none, although there is a next page.`,
    ),
  ),
  sort: Type.Optional(
    Type.Enum(LISTING_SORTS, {
      default: "newest",
      description: "The order of the list: `newest` starts with the animal that was added last.",
      examples: ["oldest"],
    }),
  ),
});

export const LISTING_COMPONENTS = [Listing, Listings, ListingCount, AgeGroup];
