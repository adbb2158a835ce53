// Generated from docs/openapi.json by client/generate.ts; npm run docs writes it.

import type { Int64 } from "../int64.ts";

/**
 * An animal.
 *
 * @example
 * const pet: Pet = await client.createPet({ name: "Rex", categoryId: 3, status: "available" });
 */
export interface Pet {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /**
   * Name of the animal: 1 to 255 characters after trimming white space at both ends, without control characters.
   * Stored trimmed.
   */
  name: string;
  /** Identifier of the category of the animal; any int64. */
  categoryId: Int64;
  status: PetStatus;
}

/**
 * An animal to add.
 *
 * @example
 * const newPet: NewPet = { name: "Rex", categoryId: 3, status: "available" };
 * await client.createPet(newPet);
 */
export interface NewPet {
  /**
   * Name of the animal: 1 to 255 characters after trimming white space at both ends, without control characters.
   * Stored trimmed.
   */
  name: string;
  /** Identifier of the category of the animal; any int64. */
  categoryId: Int64;
  /** The availability of the animal. Default: `available`. */
  status?: PetStatus | undefined;
}

/**
 * Animals in ascending order of id.
 *
 * @example
 * const pets: Pets = (await client.listPets().page()).items;
 */
export type Pets = Pet[];

/**
 * Changes to an animal.
 *
 * @example
 * const petPatch: PetPatch = { name: "Rex II" };
 * await client.updatePet(1, petPatch);
 */
export interface PetPatch {
  /**
   * Name of the animal: 1 to 255 characters after trimming white space at both ends, without control characters.
   * Stored trimmed.
   */
  name?: string | undefined;
  /** Identifier of the category of the animal; any int64. */
  categoryId?: Int64 | undefined;
  status?: PetStatus | undefined;
}

/**
 * The availability of an animal. Allowed transitions: available → pending or sold; pending → available or sold;
 * sold → available.
 *
 * @example
 * const petStatus: PetStatus = "available";
 */
export type PetStatus = "available" | "pending" | "sold";

/**
 * One change of an animal, of its profile, or of one of its orders. `from` is absent on creation, `to` on
 * deletion.
 *
 * @example
 * const [change]: Change[] = (await client.listPetHistory(1).page()).items;
 */
export interface Change {
  /** Increases by one with every change in the store. */
  number: Int64;
  /** The kind of change. */
  what: "pet.created" | "pet.updated" | "pet.deleted" | "order.created" | "order.updated" | "listing.updated";
  /** The animal that changed, or whose order changed. */
  petId: Int64;
  at: string;
  /** The order that changed. */
  orderId?: Int64 | undefined;
  from?: ChangedState | undefined;
  to?: ChangedState | undefined;
  /**
   * The key that made the change; 0 is ADMIN_API_KEY. Absent for a change by the service itself or by an
   * operator command.
   */
  keyId?: Int64 | undefined;
  /** The person of a key of kind `person`, with their current name. */
  person?: {
    /** The person. */
    id: Int64;
    /** Name of the person. */
    name: string;
  };
}

/**
 * Changes in ascending order of number.
 *
 * @example
 * const changes: Changes = (await client.listPetHistory(1).page()).items;
 */
export type Changes = Change[];

/**
 * The state of an animal, an order or a listing before or after a change.
 *
 * @example
 * const changedState: ChangedState = { status: "available", name: "Rex", categoryId: 3 };
 */
export interface ChangedState {
  /** Status of the animal or the order. */
  status: string;
  /** Name of an animal. */
  name?: string | undefined;
  /** Category of an animal. */
  categoryId?: Int64 | undefined;
  /** Reference of an order. */
  reference?: string | undefined;
  /** Profile of a listing. */
  profile?: Profile | undefined;
  /** Shelter of an animal that has moved. */
  shelterId?: Int64 | undefined;
}

/**
 * The number of animals in each status.
 *
 * @example
 * const inventory: Inventory = await client.getInventory();
 */
export interface Inventory {
  /** Animals that can be ordered. */
  available: number;
  /** Animals that are reserved. */
  pending: number;
  /** Animals that are adopted. */
  sold: number;
}

/**
 * An animal with its profile and photos.
 *
 * @example
 * const listing: Listing = await client.getListing(1);
 */
export interface Listing {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /**
   * Name of the animal: 1 to 255 characters after trimming white space at both ends, without control characters.
   * Stored trimmed.
   */
  name: string;
  /** Identifier of the category of the animal; any int64. */
  categoryId: Int64;
  status: PetStatus;
  /** Name of the category; absent if it has none. */
  categoryName?: string | undefined;
  ageGroup?: AgeGroup | undefined;
  profile: Profile;
  /** The first is the cover. */
  photos: Photo[];
  shelter: ShelterSummary;
  createdAt: string;
  /** When the animal, its profile or its photos changed last. */
  updatedAt: string;
}

/**
 * Listings in descending order of id or, with `sort=oldest`, in ascending order.
 *
 * @example
 * const listings: Listings = (await client.listListings().page()).items;
 */
export type Listings = Listing[];

/**
 * The number of animals in a list. Counting stops at 10000.
 *
 * @example
 * const listingCount: ListingCount = await client.countListings();
 */
export interface ListingCount {
  /** Animals in the list. */
  count: number;
  /** False if there may be more animals than `count`. */
  exact: boolean;
}

/**
 * Under 6 months, under 2 years, under 9 years, or older; derived from `bornOn` on the current UTC day.
 *
 * @example
 * const ageGroup: AgeGroup = "baby";
 */
export type AgeGroup = "baby" | "young" | "adult" | "senior";

/**
 * Facts about an animal that people ask for before they adopt it. Every member is optional.
 *
 * @example
 * const profile: Profile = { species: "dog", bornOn: "2023-05-04", goodWith: { children: "yes" } };
 */
export interface Profile {
  species?: Species | undefined;
  /** The breeds, at most 2. */
  breeds?: string[] | undefined;
  /** Whether the animal is of mixed breed. */
  mixed?: boolean | undefined;
  sex?: Sex | undefined;
  /** The day of birth. */
  bornOn?: string | undefined;
  /** Whether `bornOn` is an estimate. */
  bornIsEstimated?: boolean | undefined;
  size?: Size | undefined;
  /** The colours, at most 3. */
  colors?: string[] | undefined;
  coat?: Coat | undefined;
  /** Whom the animal gets on with. */
  goodWith?: {
    /** Good with children. */
    children?: YesNoUnknown | undefined;
    /** Good with dogs. */
    dogs?: YesNoUnknown | undefined;
    /** Good with cats. */
    cats?: YesNoUnknown | undefined;
  };
  /** Whether the animal is spayed or neutered. */
  neutered?: YesNoUnknown | undefined;
  /** Whether its vaccinations are up to date. */
  vaccinated?: YesNoUnknown | undefined;
  /** Whether the animal is house-trained. */
  houseTrained?: YesNoUnknown | undefined;
  /** Whether the animal has special needs. */
  specialNeeds?: YesNoUnknown | undefined;
  /** Plain text for people: text of at most 10000 characters, without control characters except line feeds. */
  description?: string | undefined;
  /** The adoption fee. */
  fee?: {
    /** In minor units of the currency: 25000 means 250 euros. */
    amount: number;
    /** Currency code of ISO 4217. */
    currency: string;
  };
  /** The day on which the animal arrived. */
  arrivedOn?: string | undefined;
  /** Address of a video: https, in ASCII. */
  videoUrl?: string | undefined;
  /**
   * The identifier in your own system, unique in the store: 1 to 64 characters after trimming white space at
   * both ends, without control characters. Stored trimmed.
   */
  externalId?: string | undefined;
  /** Your own tags, at most 10. */
  tags?: string[] | undefined;
  /** Up to 20 members of your own, such as `microchip` or `kennel`. They are not searched. */
  custom?: Record<string, string> | undefined;
}

/**
 * Changes to a profile. Absent members stay unchanged, `null` removes a member. `goodWith` and `custom` change
 * member by member, every other member as a whole.
 *
 * @example
 * const profilePatch: ProfilePatch = { species: "dog", breeds: ["Labrador Retriever"], mixed: true, sex: "male", bornOn: "2023-05-04", bornIsEstimated: true, size: "large", goodWith: { children: "yes", cats: "unknown" }, neutered: "yes", description: "Calm and curious.\nLikes long walks.", fee: { amount: 25000, currency: "EUR" }, externalId: "A-2041", tags: ["calm"], custom: { kennel: "B 12" } };
 * await client.updateProfile(1, profilePatch);
 */
export interface ProfilePatch {
  species?: Species | null | undefined;
  breeds?: string[] | null | undefined;
  mixed?: boolean | null | undefined;
  sex?: Sex | null | undefined;
  bornOn?: string | null | undefined;
  bornIsEstimated?: boolean | null | undefined;
  size?: Size | null | undefined;
  colors?: string[] | null | undefined;
  coat?: Coat | null | undefined;
  goodWith?: {
    children?: YesNoUnknown | null | undefined;
    dogs?: YesNoUnknown | null | undefined;
    cats?: YesNoUnknown | null | undefined;
  } | null | undefined;
  neutered?: YesNoUnknown | null | undefined;
  vaccinated?: YesNoUnknown | null | undefined;
  houseTrained?: YesNoUnknown | null | undefined;
  specialNeeds?: YesNoUnknown | null | undefined;
  description?: string | null | undefined;
  fee?: {
    /** In minor units of the currency: 25000 means 250 euros. */
    amount: number;
    /** Currency code of ISO 4217. */
    currency: string;
  } | null | undefined;
  arrivedOn?: string | null | undefined;
  videoUrl?: string | null | undefined;
  externalId?: string | null | undefined;
  tags?: string[] | null | undefined;
  custom?: Record<string, string | null> | null | undefined;
  /** Moves the animal, with its orders, to this shelter. Only for keys without a shelter of their own. */
  shelterId?: Int64 | undefined;
}

/**
 * The species of an animal.
 *
 * @example
 * const species: Species = "dog";
 */
export type Species =
  | "dog"
  | "cat"
  | "rabbit"
  | "bird"
  | "horse"
  | "reptile"
  | "small_animal"
  | "farm_animal"
  | "other";

/**
 * The sex of an animal.
 *
 * @example
 * const sex: Sex = "male";
 */
export type Sex = "male" | "female" | "unknown";

/**
 * The size of an animal when it is grown.
 *
 * @example
 * const size: Size = "small";
 */
export type Size = "small" | "medium" | "large" | "extra_large";

/**
 * The coat of an animal.
 *
 * @example
 * const coat: Coat = "hairless";
 */
export type Coat = "hairless" | "short" | "medium" | "long" | "wire" | "curly";

/**
 * An answer. `unknown`: somebody has looked and could not tell.
 *
 * @example
 * const yesNoUnknown: YesNoUnknown = "yes";
 */
export type YesNoUnknown = "yes" | "no" | "unknown";

/**
 * A photo of an animal.
 *
 * @example
 * const photo: Photo = await client.addPhoto(1, new Uint8Array([0xff, 0xd8, 0xff]));
 */
export interface Photo {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /** Width of the uploaded image in pixels. */
  width: number;
  /** Height of the uploaded image in pixels. */
  height: number;
  /** A description of the photo for people who cannot see it. */
  alt: string;
  urls: PhotoUrls;
}

/**
 * The photos of an animal. The first is the cover.
 *
 * @example
 * const photos: Photos = await client.orderPhotos(1, { order: [1] });
 */
export type Photos = Photo[];

/**
 * Addresses of the image as WebP, by width. None is larger than the image. They need no key, and their content
 * never changes.
 *
 * @example
 * const photoUrls: PhotoUrls = { 320: "https://animals.example.org/photos/b9ba4e4e-320.webp" };
 */
export interface PhotoUrls {
  /** 320 pixels wide. An image that is narrower has only this address, with its own width. */
  320: string;
  /** 640 pixels wide. */
  640?: string | undefined;
  /** 1280 pixels wide. */
  1280?: string | undefined;
  /** 2048 pixels wide. */
  2048?: string | undefined;
}

/**
 * A new order of the up to 12 photos of an animal.
 *
 * @example
 * const photoOrder: PhotoOrder = { order: [1] };
 * await client.orderPhotos(1, photoOrder);
 */
export interface PhotoOrder {
  /** The identifiers of all photos of the animal, each once. The first becomes the cover. */
  order: Int64[];
}

/**
 * A new description of a photo.
 *
 * @example
 * const photoPatch: PhotoPatch = { alt: "Rex runs across a meadow" };
 * await client.updatePhoto(1, 1, photoPatch);
 */
export interface PhotoPatch {
  /** A description of the photo for people who cannot see it. */
  alt: string;
}

/**
 * The result of an import. The numbers count rows of this request.
 *
 * @example
 * const importReport: ImportReport = await client.importAnimals(new Blob(["name,categoryId\nRex,3"], { type: "text/csv" }));
 */
export interface ImportReport {
  /** Whether nothing was written. */
  isDryRun: boolean;
  /** Rows of the file. */
  rows: number;
  /** Rows whose animal was added, or would be in a dry run. */
  added: number;
  /** Rows that changed a known animal. */
  updated: number;
  /** Rows that changed nothing. */
  unchanged: number;
  /** Rows with a problem. */
  bad: number;
  /** The first 100. */
  problems: ImportProblem[];
  /** The columns of the file; of NDJSON, its members. */
  columns: ImportColumn[];
  /** The first three animals as they would be. */
  preview: Listing[];
  /** All settings, as they were used. */
  settings: ImportSettings;
}

/**
 * How the file of an import is read. Every setting is optional.
 *
 * @example
 * const importSettings: ImportSettings = { map: { externalId: "Number" }, dateOrder: "dmy" };
 */
export interface ImportSettings {
  /**
   * The heading of a member, or a list of headings for `breeds`, `colors` and `tags`; `null` ignores the column
   * that would be read. Other members are recognised by their headings. Members are the columns of an export
   * except `id` and `photos`, and also `fee`, `age` and `custom.NAME`.
   */
  map?: Record<string, string | string[] | null> | undefined;
  /**
   * The order of day, month and year. `auto` decides for each column by all its cells; a column that fits two
   * orders is a problem.
   */
  dateOrder?: "auto" | "dmy" | "mdy" | "ymd" | undefined;
  /** Currency code of ISO 4217 for fees without one. */
  currency?: string | undefined;
  /** The category of rows without one. */
  categoryId?: Int64 | undefined;
  /** Creates missing categories, by their name or by species. */
  createCategories?: boolean | undefined;
  /** `auto`, or an encoding, such as `windows-1252`. */
  encoding?: string | undefined;
  /** `auto`, or one of `,` `;` `|` `tab`. */
  delimiter?: string | undefined;
  /** Imports the good rows even if others are bad. */
  skipBad?: boolean | undefined;
}

/**
 * Why a row cannot be imported.
 *
 * @example
 * const importProblem: ImportProblem = { line: 3, heading: "Sex", value: "tom", message: "sex must be female, male or unknown" };
 */
export interface ImportProblem {
  /** The line of the file in which the row begins, from 1. */
  line: number;
  /** The column; absent if the problem is not in one cell. */
  heading?: string | undefined;
  /** The value of the cell. */
  value?: string | undefined;
  /** The fault, and the values that are allowed. */
  message: string;
}

/**
 * How a column of the file was read.
 *
 * @example
 * const importColumn: ImportColumn = { heading: "Sex", member: "sex", readAs: "sex", samples: ["m"] };
 */
export interface ImportColumn {
  /** A heading of the file. */
  heading: string;
  member: string | null;
  /** In words, such as `date, day first`. */
  readAs: string;
  /** Up to three different values. */
  samples: string[];
}

/**
 * The name of a file for an aggregator.
 *
 * @example
 * const exportName: ExportName = "petfinder.csv";
 */
export type ExportName = "petfinder.csv" | "adoptapet.csv" | "rescuegroups.csv";

/**
 * An order, which reserves one animal.
 *
 * @example
 * const order: Order = await client.createOrder({ petId: 1, reference: "case 4711" });
 */
export interface Order {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /** The animal that the order reserves. */
  petId: Int64;
  status: OrderStatus;
  /** Your own reference, such as a case number: text of at most 255 characters, without control characters. */
  reference: string;
  createdAt: string;
  updatedAt: string;
  /** When the order expires; present while it is placed. */
  expiresAt?: string | undefined;
  /** The current animal; only in a list with `expand=pet`, and absent if it was deleted. */
  pet?: Pet | undefined;
}

/**
 * An order to place.
 *
 * @example
 * const newOrder: NewOrder = { petId: 1, reference: "case 4711" };
 * await client.createOrder(newOrder);
 */
export interface NewOrder {
  /** The animal that the order reserves. */
  petId: Int64;
  /**
   * Your own reference, such as a case number: text of at most 255 characters, without control characters.
   * Default: empty.
   */
  reference?: string | undefined;
}

/**
 * Orders in ascending order of id or, with `sort`, in another order.
 *
 * @example
 * const orders: Orders = (await client.listOrders().page()).items;
 */
export type Orders = Order[];

/**
 * The number of orders in each status; 1000 means that there are this many or more.
 *
 * @example
 * const orderCounts: OrderCounts = await client.getOrderCounts();
 */
export interface OrderCounts {
  /** Orders that wait for approval. */
  placed: number;
  /** Orders that are approved and not yet delivered. */
  approved: number;
  /** Orders that are delivered. */
  delivered: number;
  /** Orders that were delivered and returned. */
  returned: number;
  /** Orders that were cancelled. */
  cancelled: number;
  /** Orders that were not approved in time. */
  expired: number;
}

/**
 * The new status of an order.
 *
 * @example
 * const orderPatch: OrderPatch = { status: "approved" };
 * await client.updateOrder(1, orderPatch);
 */
export interface OrderPatch {
  status: OrderStatus;
}

/**
 * Allowed transitions: placed → approved or cancelled; approved → delivered or cancelled; delivered → returned.
 * The service changes placed → expired.
 *
 * @example
 * const orderStatus: OrderStatus = "placed";
 */
export type OrderStatus = "placed" | "approved" | "delivered" | "returned" | "cancelled" | "expired";

/**
 * A category with its name.
 *
 * @example
 * const category: Category = await client.putCategory(1, { name: "Dogs" });
 */
export interface Category {
  /** The `categoryId` of animals. */
  id: Int64;
  /**
   * Name of the category: 1 to 100 characters after trimming white space at both ends, without control
   * characters. Stored trimmed.
   */
  name: string;
}

/**
 * The new name of a category.
 *
 * @example
 * const categoryNaming: CategoryNaming = { name: "Dogs" };
 * await client.putCategory(1, categoryNaming);
 */
export interface CategoryNaming {
  /**
   * Name of the category: 1 to 100 characters after trimming white space at both ends, without control
   * characters. Stored trimmed.
   */
  name: string;
}

/**
 * Categories in ascending order of id.
 *
 * @example
 * const categories: Categories = (await client.listCategories().page()).items;
 */
export type Categories = Category[];

/**
 * A shelter. Every animal belongs to one.
 *
 * @example
 * const shelter: Shelter = await client.createShelter({ name: "Riverside Shelter", email: "hello@riverside.example", phone: "+49 30 123456", address: { city: "Berlin", country: "DE" }, location: { latitude: 52.53, longitude: 13.38 } });
 */
export interface Shelter {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /**
   * Name of the shelter: 1 to 100 characters after trimming white space at both ends, without control
   * characters. Stored trimmed.
   */
  name: string;
  /** Plain text about the shelter: text of at most 2000 characters, without control characters except line feeds. */
  about?: string | undefined;
  /** E-mail address for the public. */
  email?: string | undefined;
  /**
   * Telephone number: 1 to 40 characters after trimming white space at both ends, without control characters.
   * Stored trimmed.
   */
  phone?: string | undefined;
  /** Address of the website: https, in ASCII. */
  website?: string | undefined;
  /** Address of the page where people apply for an animal: https, in ASCII. */
  adoptUrl?: string | undefined;
  address?: Address | undefined;
  location?: Location | undefined;
  /** Opening hours: text of at most 500 characters, without control characters except line feeds. */
  openingHours?: string | undefined;
  createdAt: string;
  updatedAt: string;
}

/**
 * A shelter to add.
 *
 * @example
 * const newShelter: NewShelter = { name: "Riverside Shelter", email: "hello@riverside.example", phone: "+49 30 123456", address: { city: "Berlin", country: "DE" }, location: { latitude: 52.53, longitude: 13.38 } };
 * await client.createShelter(newShelter);
 */
export interface NewShelter {
  /**
   * Name of the shelter: 1 to 100 characters after trimming white space at both ends, without control
   * characters. Stored trimmed.
   */
  name: string;
  /** Plain text about the shelter: text of at most 2000 characters, without control characters except line feeds. */
  about?: string | undefined;
  /** E-mail address for the public. */
  email?: string | undefined;
  /**
   * Telephone number: 1 to 40 characters after trimming white space at both ends, without control characters.
   * Stored trimmed.
   */
  phone?: string | undefined;
  /** Address of the website: https, in ASCII. */
  website?: string | undefined;
  /** Address of the page where people apply for an animal: https, in ASCII. */
  adoptUrl?: string | undefined;
  address?: Address | undefined;
  location?: Location | undefined;
  /** Opening hours: text of at most 500 characters, without control characters except line feeds. */
  openingHours?: string | undefined;
}

/**
 * Changes to a shelter. Absent members stay unchanged, `null` removes a member. `address` and `location` change
 * as a whole.
 *
 * @example
 * const shelterPatch: ShelterPatch = { phone: "+49 30 654321" };
 * await client.updateShelter(1, shelterPatch);
 */
export interface ShelterPatch {
  /**
   * Name of the shelter: 1 to 100 characters after trimming white space at both ends, without control
   * characters. Stored trimmed.
   */
  name?: string | undefined;
  about?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  website?: string | null | undefined;
  adoptUrl?: string | null | undefined;
  address?: Address | null | undefined;
  location?: Location | null | undefined;
  openingHours?: string | null | undefined;
}

/**
 * Shelters in ascending order of id.
 *
 * @example
 * const shelters: Shelters = (await client.listShelters().page()).items;
 */
export type Shelters = Shelter[];

/**
 * The shelter that an animal belongs to.
 *
 * @example
 * const shelterSummary: ShelterSummary = { id: 1, name: "Our shelter" };
 */
export interface ShelterSummary {
  /** The shelter. */
  id: Int64;
  /** Name of the shelter. */
  name: string;
  /** City of the shelter, if it is known. */
  city?: string | undefined;
}

/**
 * The address of a shelter. Every member is optional.
 *
 * @example
 * const address: Address = { city: "Berlin", country: "DE" };
 */
export interface Address {
  /**
   * Street and number: 1 to 100 characters after trimming white space at both ends, without control characters.
   * Stored trimmed.
   */
  street?: string | undefined;
  /**
   * Postal code: 1 to 100 characters after trimming white space at both ends, without control characters. Stored
   * trimmed.
   */
  postalCode?: string | undefined;
  /**
   * City: 1 to 100 characters after trimming white space at both ends, without control characters. Stored
   * trimmed.
   */
  city?: string | undefined;
  /**
   * State, province or county: 1 to 100 characters after trimming white space at both ends, without control
   * characters. Stored trimmed.
   */
  region?: string | undefined;
  /** Country code of ISO 3166: two capital letters. */
  country?: string | undefined;
}

/**
 * A place on the Earth, in degrees.
 *
 * @example
 * const location: Location = { latitude: 52.53, longitude: 13.38 };
 */
export interface Location {
  /** North is positive. */
  latitude: number;
  /** East is positive. */
  longitude: number;
}

/**
 * The public site, one for each store.
 *
 * @example
 * const site: Site = await client.getSite();
 */
export interface Site {
  /** Whether people without a key see the animals. */
  isPublic: boolean;
  language: SiteLanguage;
  /**
   * Title of the site: 1 to 100 characters after trimming white space at both ends, without control characters.
   * Absent: the name of the first shelter.
   */
  title?: string | undefined;
  /**
   * Plain text before the list of animals: text of at most 1000 characters, without control characters except
   * line feeds.
   */
  introduction?: string | undefined;
  /** Colour of buttons and links; colours of text are derived from it. Absent: the product's own. */
  accent?: string | undefined;
}

/**
 * Changes to the public site. Absent members stay unchanged; `null` removes `title`, `introduction` or `accent`.
 *
 * @example
 * const sitePatch: SitePatch = { isPublic: true, title: "Riverside animals", accent: "#2f6f4f" };
 * await client.updateSite(sitePatch);
 */
export interface SitePatch {
  /** Whether people without a key see the animals. */
  isPublic?: boolean | undefined;
  language?: SiteLanguage | undefined;
  title?: string | null | undefined;
  introduction?: string | null | undefined;
  accent?: string | null | undefined;
}

/**
 * The language of the pages.
 *
 * @example
 * const siteLanguage: SiteLanguage = "en";
 */
export type SiteLanguage = "en" | "de";

/**
 * One change; `type` determines its shape. More types may be added.
 *
 * @example
 * const event: Event = { id: "evt_9f86d081884c7d65_3", number: 3, type: "pet.created", timestamp: "2026-11-15T09:30:00.000Z", data: { pet: { id: 1, name: "Rex", categoryId: 3, status: "available" } } };
 */
export type Event = PetEvent | OrderEvent | CategoryEvent | ListingEvent | ShelterEvent;

/**
 * Events in ascending order of number.
 *
 * @example
 * const events: Events = await client.listEvents();
 */
export type Events = Event[];

/**
 * A change of an animal.
 *
 * @example
 * const petEvent: PetEvent = { id: "evt_9f86d081884c7d65_3", number: 3, type: "pet.created", timestamp: "2026-11-15T09:30:00.000Z", data: { pet: { id: 1, name: "Rex", categoryId: 3, status: "available" } } };
 */
export interface PetEvent {
  /** Identifies the event, also across restores and copies of the store. */
  id: string;
  /** Increases by one with every change in the store. */
  number: Int64;
  /** The kind of change. */
  type: "pet.created" | "pet.updated" | "pet.deleted";
  timestamp: string;
  /** The complete new state; after a deletion, the last one. */
  data: {
    pet: Pet;
    /** On an update: the members that changed, with their old values. */
    previous?: {
      /**
       * Name of the animal: 1 to 255 characters after trimming white space at both ends, without control
       * characters. Stored trimmed.
       */
      name?: string | undefined;
      /** Identifier of the category of the animal; any int64. */
      categoryId?: Int64 | undefined;
      status?: PetStatus | undefined;
    };
  };
}

/**
 * A change of an order.
 *
 * @example
 * const orderEvent: OrderEvent = { id: "evt_9f86d081884c7d65_3", number: 3, type: "order.updated", timestamp: "2026-11-15T09:30:00.000Z", data: { order: { id: 1, petId: 1, status: "approved", reference: "", createdAt: "2026-11-15T09:30:00.000Z", updatedAt: "2026-11-15T09:30:00.000Z" }, previous: { status: "placed" } } };
 */
export interface OrderEvent {
  /** Identifies the event, also across restores and copies of the store. */
  id: string;
  /** Increases by one with every change in the store. */
  number: Int64;
  /** The kind of change. */
  type: "order.created" | "order.updated";
  timestamp: string;
  /** The complete new state; after a deletion, the last one. */
  data: {
    order: Order;
    /** On an update: the members that changed, with their old values. */
    previous?: {
      status?: OrderStatus | undefined;
      /** Your own reference, such as a case number: text of at most 255 characters, without control characters. */
      reference?: string | undefined;
      /** When the order expires; present while it is placed. */
      expiresAt?: string | undefined;
    };
  };
}

/**
 * A change of the name of a category.
 *
 * @example
 * const categoryEvent: CategoryEvent = { id: "evt_9f86d081884c7d65_3", number: 3, type: "category.updated", timestamp: "2026-11-15T09:30:00.000Z", data: { category: { id: 3, name: "Dogs" } } };
 */
export interface CategoryEvent {
  /** Identifies the event, also across restores and copies of the store. */
  id: string;
  /** Increases by one with every change in the store. */
  number: Int64;
  /** The kind of change. */
  type: "category.updated" | "category.deleted";
  timestamp: string;
  /** The complete new state; after a deletion, the last one. */
  data: {
    category: Category;
    /** The old name, if there was one. */
    previous?: {
      /**
       * Name of the category: 1 to 100 characters after trimming white space at both ends, without control
       * characters. Stored trimmed.
       */
      name: string;
    };
  };
}

/**
 * A change of the profile or the photos of an animal.
 *
 * @example
 * const listingEvent: ListingEvent = { id: "evt_9f86d081884c7d65_3", number: 3, type: "listing.updated", timestamp: "2026-11-15T09:30:00.000Z", data: { listing: { id: 1, name: "Rex", categoryId: 3, status: "available", profile: { species: "dog" }, photos: [], shelter: { id: 1, name: "Our shelter" }, createdAt: "2026-11-15T09:30:00.000Z", updatedAt: "2026-11-15T09:30:00.000Z" } } };
 */
export interface ListingEvent {
  /** Identifies the event, also across restores and copies of the store. */
  id: string;
  /** Increases by one with every change in the store. */
  number: Int64;
  /** The kind of change. */
  type: "listing.updated";
  timestamp: string;
  /** The complete new state; after a deletion, the last one. */
  data: {
    listing: Listing;
  };
}

/**
 * A change of a shelter.
 *
 * @example
 * const shelterEvent: ShelterEvent = { id: "evt_9f86d081884c7d65_3", number: 3, type: "shelter.updated", timestamp: "2026-11-15T09:30:00.000Z", data: { shelter: { id: 1, name: "Riverside", createdAt: "2026-11-15T09:30:00.000Z", updatedAt: "2026-11-15T09:30:00.000Z" }, previous: { name: "Our shelter" } } };
 */
export interface ShelterEvent {
  /** Identifies the event, also across restores and copies of the store. */
  id: string;
  /** Increases by one with every change in the store. */
  number: Int64;
  /** The kind of change. */
  type: "shelter.created" | "shelter.updated" | "shelter.deleted";
  timestamp: string;
  /** The complete new state; after a deletion, the last one. */
  data: {
    shelter: Shelter;
    /** On an update: the members that changed, with their old values. */
    previous?: {
      /**
       * Name of the shelter: 1 to 100 characters after trimming white space at both ends, without control
       * characters. Stored trimmed.
       */
      name?: string | undefined;
      /**
       * Plain text about the shelter: text of at most 2000 characters, without control characters except line
       * feeds.
       */
      about?: string | undefined;
      /** E-mail address for the public. */
      email?: string | undefined;
      /**
       * Telephone number: 1 to 40 characters after trimming white space at both ends, without control
       * characters. Stored trimmed.
       */
      phone?: string | undefined;
      /** Address of the website: https, in ASCII. */
      website?: string | undefined;
      /** Address of the page where people apply for an animal: https, in ASCII. */
      adoptUrl?: string | undefined;
      address?: Address | undefined;
      location?: Location | undefined;
      /** Opening hours: text of at most 500 characters, without control characters except line feeds. */
      openingHours?: string | undefined;
    };
  };
}

/**
 * An address that gets events, without its secret.
 *
 * @example
 * const webhook: Webhook = await client.getWebhook(1);
 */
export interface Webhook {
  /** Assigned by the service. */
  id: Int64;
  url: string;
  /** Absent: all types. */
  types?: EventWord[] | undefined;
  description?: string | undefined;
  status: WebhookStatus;
  disabledReason?: DisabledReason | undefined;
  createdAt: string;
  /** The last 2xx response. */
  lastSuccessAt?: string | undefined;
  /** The first failure since the last success; absent after a success. */
  failingSince?: string | undefined;
  /** Undelivered events. Of those that a disabled webhook has missed, only the next 10,000 changes are counted. */
  pending: number;
}

/**
 * Webhooks in ascending order of id.
 *
 * @example
 * const webhooks: Webhooks = (await client.listWebhooks().page()).items;
 */
export type Webhooks = Webhook[];

/**
 * A webhook to create.
 *
 * @example
 * const newWebhook: NewWebhook = { url: "https://hooks.example.net/animals", types: ["pet.*"], description: "Website" };
 * await client.createWebhook(newWebhook);
 */
export interface NewWebhook {
  /** Where events are sent: an `https` address that is public, without user name and password. */
  url: string;
  /** The types of events to send; `pet.*` means all types of animals. Default: all types. */
  types?: EventWord[] | undefined;
  /** Your own note about the webhook. */
  description?: string | undefined;
  /** A cursor of the events: those after it are sent. Default: `now`. */
  after?: string | undefined;
}

/**
 * Changes to a webhook; `null` removes the types, for all types, or the description.
 *
 * @example
 * const webhookPatch: WebhookPatch = { types: ["pet.created", "pet.deleted"] };
 * await client.updateWebhook(1, webhookPatch);
 */
export interface WebhookPatch {
  /** Where events are sent: an `https` address that is public, without user name and password. */
  url?: string | undefined;
  types?: EventWord[] | null | undefined;
  description?: string | null | undefined;
  /** An enabled webhook continues where it was disabled, unless `after` says otherwise. */
  status?: WebhookStatus | undefined;
  /** `now` drops all events up to now that are not delivered. */
  after?: "now" | undefined;
}

/**
 * A webhook with its secret.
 *
 * @example
 * const issuedWebhook: IssuedWebhook = await client.createWebhook({ url: "https://hooks.example.net/animals", types: ["pet.*"], description: "Website" });
 */
export interface IssuedWebhook {
  /** Assigned by the service. */
  id: Int64;
  url: string;
  /** Absent: all types. */
  types?: EventWord[] | undefined;
  description?: string | undefined;
  status: WebhookStatus;
  disabledReason?: DisabledReason | undefined;
  createdAt: string;
  /** The last 2xx response. */
  lastSuccessAt?: string | undefined;
  /** The first failure since the last success; absent after a success. */
  failingSince?: string | undefined;
  /** Undelivered events. Of those that a disabled webhook has missed, only the next 10,000 changes are counted. */
  pending: number;
  /** The secret that signs the requests. Shown only once. */
  secret: string;
}

/**
 * Whether events are sent.
 *
 * @example
 * const webhookStatus: WebhookStatus = "enabled";
 */
export type WebhookStatus = "enabled" | "disabled";

/**
 * Why it is disabled: by a request; the receiver answered 410; only failures for 5 days; the key was revoked or
 * has expired.
 *
 * @example
 * const disabledReason: DisabledReason = "requested";
 */
export type DisabledReason = "requested" | "gone" | "failing" | "key_ended";

/**
 * A type of events, or all types of a kind.
 *
 * @example
 * const eventWord: EventWord = "pet.created";
 */
export type EventWord =
  | "pet.created"
  | "pet.updated"
  | "pet.deleted"
  | "order.created"
  | "order.updated"
  | "category.updated"
  | "category.deleted"
  | "listing.updated"
  | "shelter.created"
  | "shelter.updated"
  | "shelter.deleted"
  | "pet.*"
  | "order.*"
  | "category.*"
  | "listing.*"
  | "shelter.*";

/**
 * The result of a test event.
 *
 * @example
 * const webhookTest: WebhookTest = await client.testWebhook(1);
 */
export interface WebhookTest {
  /** The status of the response; absent without one. */
  status?: number | undefined;
  /** How long the request took, in milliseconds. */
  durationMs: number;
  /** Why there is no response. */
  error?: string | undefined;
  /** The first 1 kB of the response; only for access `admin`. */
  response?: string | undefined;
}

/**
 * One event for one webhook.
 *
 * @example
 * const [delivery]: Delivery[] = (await client.listDeliveries(1).page()).items;
 */
export interface Delivery {
  /** Assigned by the service. */
  id: Int64;
  /** The event; the header `webhook-id` of every attempt. */
  eventId: string;
  /** The number of the event. */
  number: Int64;
  type:
    | "pet.created"
    | "pet.updated"
    | "pet.deleted"
    | "order.created"
    | "order.updated"
    | "category.updated"
    | "category.deleted"
    | "listing.updated"
    | "shelter.created"
    | "shelter.updated"
    | "shelter.deleted";
  status: DeliveryStatus;
  /** How many attempts were made. */
  attempts: number;
  /** While it is pending. */
  nextAttemptAt?: string | undefined;
  /** The status of the last response. */
  lastStatus?: number | undefined;
  /** Why the last attempt got no response. */
  lastError?: string | undefined;
  lastAttemptAt?: string | undefined;
}

/**
 * Deliveries, newest first; kept for 30 days.
 *
 * @example
 * const deliveries: Deliveries = (await client.listDeliveries(1).page()).items;
 */
export type Deliveries = Delivery[];

/**
 * `pending`: another attempt follows; `failed`: none follows.
 *
 * @example
 * const deliveryStatus: DeliveryStatus = "pending";
 */
export type DeliveryStatus = "pending" | "delivered" | "failed";

/**
 * What to send again: either a delivery, or all events after a cursor.
 *
 * @example
 * const webhookReplay: WebhookReplay = { deliveryId: 1 };
 * await client.replayWebhook(1, webhookReplay);
 */
export interface WebhookReplay {
  /** The delivery to repeat. */
  deliveryId?: Int64 | undefined;
  /** A cursor of the events: all events after it are sent again. */
  after?: string | undefined;
}

/**
 * `secret`: for programs that can keep it secret. `publishable`: for web pages, where everybody can read it; it
 * may only read what the public may see. `person`: of a person's device, with the rights of the person.
 *
 * @example
 * const keyKind: KeyKind = "secret";
 */
export type KeyKind = "secret" | "publishable" | "person";

/**
 * The plan of a key, which sets its limits.
 *
 * @example
 * const plan: Plan = "free";
 */
export type Plan = "free" | "pro" | "business" | "enterprise";

/**
 * The access level of a key; each level includes the levels before it.
 *
 * @example
 * const access: Access = "browse";
 */
export type Access = "browse" | "adopt" | "manage" | "admin";

/**
 * A key, without its secret.
 *
 * @example
 * const apiKey: ApiKey = await client.updateKey(1, { plan: "pro" });
 */
export interface ApiKey {
  /** Assigned by the service. */
  id: Int64;
  kind: KeyKind;
  name: string;
  /** The person of a key of kind `person`, with their current name. */
  person?: {
    /** The person. */
    id: Int64;
    /** Name of the person. */
    name: string;
  };
  plan: Plan;
  access: Access;
  /** Requests per minute. */
  perMinute: number;
  /** Requests per day; absent for a publishable key. */
  perDay?: number | undefined;
  /**
   * The only shelter whose animals the key may change, and whose orders it sees; absent for all shelters. Not
   * for access `admin`.
   */
  shelterId?: Int64 | undefined;
  /**
   * Origins of the web pages that may use a publishable key; each an origin as browsers send it, such as
   * https://www.example.org, without a path (http only for localhost and loopback addresses).
   */
  allowedOrigins?: string[] | undefined;
  /** The first characters of the key, to recognise it. */
  hint: string;
  state: KeyState;
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** Accurate to a minute. */
  lastUsedAt?: string | undefined;
  /** The last call of the deprecated `getPet`, whatever its result; accurate to a minute. */
  deprecatedUsedAt?: string | undefined;
  /** A publishable key itself, which is no secret. */
  key?: string | undefined;
  ban?: KeyBan | undefined;
}

/**
 * Keys in ascending order of id.
 *
 * @example
 * const apiKeys: ApiKeys = (await client.listKeys().page()).items;
 */
export type ApiKeys = ApiKey[];

/**
 * A key with its remaining requests, without its secret.
 *
 * @example
 * const keyDetails: KeyDetails = await client.getKey(1);
 */
export interface KeyDetails {
  /** Assigned by the service. */
  id: Int64;
  kind: KeyKind;
  name: string;
  /** The person of a key of kind `person`, with their current name. */
  person?: {
    /** The person. */
    id: Int64;
    /** Name of the person. */
    name: string;
  };
  plan: Plan;
  access: Access;
  /** Requests per minute. */
  perMinute: number;
  /** Requests per day; absent for a publishable key. */
  perDay?: number | undefined;
  /**
   * The only shelter whose animals the key may change, and whose orders it sees; absent for all shelters. Not
   * for access `admin`.
   */
  shelterId?: Int64 | undefined;
  /**
   * Origins of the web pages that may use a publishable key; each an origin as browsers send it, such as
   * https://www.example.org, without a path (http only for localhost and loopback addresses).
   */
  allowedOrigins?: string[] | undefined;
  /** The first characters of the key, to recognise it. */
  hint: string;
  state: KeyState;
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** Accurate to a minute. */
  lastUsedAt?: string | undefined;
  /** The last call of the deprecated `getPet`, whatever its result; accurate to a minute. */
  deprecatedUsedAt?: string | undefined;
  /** A publishable key itself, which is no secret. */
  key?: string | undefined;
  ban?: KeyBan | undefined;
  /** The remaining requests of the key. */
  usage: {
    minute: UsageWindow;
    /** Absent for a publishable key. */
    day?: UsageWindow | undefined;
    ban?: KeyBan | undefined;
  };
}

/**
 * A key to create.
 *
 * @example
 * const newKey: NewKey = { name: "Website", plan: "free", access: "browse" };
 * await client.createKey(newKey);
 */
export interface NewKey {
  /** The kind of the key. Default: `secret`. People get their keys by an invitation. */
  kind?: "secret" | "publishable" | undefined;
  /** Purpose of the key: 1 to 100 characters after trimming white space at both ends, without control characters. */
  name: string;
  plan: Plan;
  /** The access level of the key. Default: `manage`. Not for a publishable key. */
  access?: Access | undefined;
  /** The own limit of an enterprise key. */
  perMinute?: number | undefined;
  /** The own limit of an enterprise key. Not for a publishable key. */
  perDay?: number | undefined;
  expiresAt?: string | undefined;
  shelterId?: Int64 | null | undefined;
  /**
   * Origins of the web pages that may use a publishable key; each an origin as browsers send it, such as
   * https://www.example.org, without a path (http only for localhost and loopback addresses).
   */
  allowedOrigins?: string[] | undefined;
}

/**
 * Changes to a key; `null` removes an own limit, the expiry or the shelter.
 *
 * @example
 * const keyPatch: KeyPatch = { plan: "pro" };
 * await client.updateKey(1, keyPatch);
 */
export interface KeyPatch {
  /** Purpose of the key: 1 to 100 characters after trimming white space at both ends, without control characters. */
  name?: string | undefined;
  plan?: Plan | undefined;
  access?: Access | undefined;
  perMinute?: number | null | undefined;
  perDay?: number | null | undefined;
  expiresAt?: string | null | undefined;
  shelterId?: Int64 | null | undefined;
  /**
   * Origins of the web pages that may use a publishable key; each an origin as browsers send it, such as
   * https://www.example.org, without a path (http only for localhost and loopback addresses).
   */
  allowedOrigins?: string[] | undefined;
}

/**
 * Options of a rotation.
 *
 * @example
 * const keyRotation: KeyRotation = { graceSeconds: 3600 };
 * await client.rotateKey(1, keyRotation);
 */
export interface KeyRotation {
  /** Seconds for which the old secret still works. Default: 86400. */
  graceSeconds?: number | undefined;
}

/**
 * A key with its secret.
 *
 * @example
 * const issuedKey: IssuedKey = await client.createKey({ name: "Website", plan: "free", access: "browse" });
 */
export interface IssuedKey {
  /** Assigned by the service. */
  id: Int64;
  kind: KeyKind;
  name: string;
  /** The person of a key of kind `person`, with their current name. */
  person?: {
    /** The person. */
    id: Int64;
    /** Name of the person. */
    name: string;
  };
  plan: Plan;
  access: Access;
  /** Requests per minute. */
  perMinute: number;
  /** Requests per day; absent for a publishable key. */
  perDay?: number | undefined;
  /**
   * The only shelter whose animals the key may change, and whose orders it sees; absent for all shelters. Not
   * for access `admin`.
   */
  shelterId?: Int64 | undefined;
  /**
   * Origins of the web pages that may use a publishable key; each an origin as browsers send it, such as
   * https://www.example.org, without a path (http only for localhost and loopback addresses).
   */
  allowedOrigins?: string[] | undefined;
  /** The first characters of the key, to recognise it. */
  hint: string;
  state: KeyState;
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** Accurate to a minute. */
  lastUsedAt?: string | undefined;
  /** The last call of the deprecated `getPet`, whatever its result; accurate to a minute. */
  deprecatedUsedAt?: string | undefined;
  /** The key. Unless it is publishable, it is shown only once. */
  key: string;
  /** After a rotation: when the old secret stops working. */
  oldEndsAt?: string | undefined;
}

/**
 * Present while the key is banned.
 *
 * @example
 * const keyBan: KeyBan = { reset: 1763197242 };
 */
export interface KeyBan {
  /** Unix time in seconds at which the ban ends. */
  reset: number;
}

/**
 * Whether the key is valid.
 *
 * @example
 * const keyState: KeyState = "active";
 */
export type KeyState = "active" | "expired" | "revoked";

/**
 * The remaining requests of the caller's key.
 *
 * @example
 * const usage: Usage = await client.getUsage();
 */
export interface Usage {
  plan: Plan;
  access: Access;
  /**
   * The only shelter whose animals the key may change, and whose orders it sees; absent for all shelters. Not
   * for access `admin`.
   */
  shelterId?: Int64 | undefined;
  /** The person of a key of kind `person`, with their current name. */
  person?: {
    /** The person. */
    id: Int64;
    /** Name of the person. */
    name: string;
  };
  minute: UsageWindow;
  day: UsageWindow;
  ban?: KeyBan | undefined;
}

/**
 * One rate limit window of a key.
 *
 * @example
 * const usageWindow: UsageWindow = { limit: 60, remaining: 59, reset: 1763197242 };
 */
export interface UsageWindow {
  /** Requests that the window allows. */
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /** Unix time in seconds at which the window resets. */
  reset: number;
}

/**
 * A person who signs in by invitations.
 *
 * @example
 * const person: Person = await client.updatePerson(1, { access: "adopt" });
 */
export interface Person {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /**
   * Name of the person: 1 to 100 characters after trimming white space at both ends, without control characters.
   * Two people may have the same.
   */
  name: string;
  /** What the person may do; each level includes the levels before it. */
  access: Access;
  /**
   * The only shelter whose animals the person may change, and whose orders they see; absent for all shelters.
   * Not for access `admin`.
   */
  shelterId?: Int64 | undefined;
  status: PersonStatus;
  /** Number of devices that are signed in. */
  devices: number;
  /** When the person accepted their first invitation. */
  createdAt: string;
  /** The last request of any device, accurate to a minute. */
  lastUsedAt?: string | undefined;
}

/**
 * People in ascending order of id, with those whose access has ended.
 *
 * @example
 * const people: People = (await client.listPeople().page()).items;
 */
export type People = Person[];

/**
 * Changes to a person; `null` removes the shelter.
 *
 * @example
 * const personPatch: PersonPatch = { access: "adopt" };
 * await client.updatePerson(1, personPatch);
 */
export interface PersonPatch {
  /**
   * Name of the person: 1 to 100 characters after trimming white space at both ends, without control characters.
   * Two people may have the same.
   */
  name?: string | undefined;
  /** What the person may do; each level includes the levels before it. */
  access?: Access | undefined;
  shelterId?: Int64 | null | undefined;
}

/**
 * Whether the person may sign in.
 *
 * @example
 * const personStatus: PersonStatus = "active";
 */
export type PersonStatus = "active" | "ended";

/**
 * An invitation of a new person, with `name` and `access`, or of a known one for another device, with
 * `personId`.
 *
 * @example
 * const newInvitation: NewInvitation = { name: "Maria", access: "manage" };
 * await client.createInvitation(newInvitation);
 */
export interface NewInvitation {
  /**
   * Name of the person: 1 to 100 characters after trimming white space at both ends, without control characters.
   * Two people may have the same.
   */
  name?: string | undefined;
  /** What the person may do; each level includes the levels before it. */
  access?: Access | undefined;
  shelterId?: Int64 | null | undefined;
  /** A known person, who gets another device. */
  personId?: Int64 | undefined;
  /**
   * When the invitation expires: at most 30 days from now, for access `admin` 24 hours. Default: 7 days, for
   * `admin` 24 hours.
   */
  expiresAt?: string | undefined;
}

/**
 * An invitation, without its code. One of a known person has their current name and rights.
 *
 * @example
 * const [invitation]: Invitation[] = (await client.listInvitations().page()).items;
 */
export interface Invitation {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /**
   * Name of the person: 1 to 100 characters after trimming white space at both ends, without control characters.
   * Two people may have the same.
   */
  name: string;
  /** What the person may do; each level includes the levels before it. */
  access: Access;
  /**
   * The only shelter whose animals the person may change, and whose orders they see; absent for all shelters.
   * Not for access `admin`.
   */
  shelterId?: Int64 | undefined;
  /** The person; absent until a new person has accepted. */
  personId?: Int64 | undefined;
  status: InvitationStatus;
  createdAt: string;
  expiresAt: string;
  acceptedAt?: string | undefined;
}

/**
 * Invitations in ascending order of id.
 *
 * @example
 * const invitations: Invitations = (await client.listInvitations().page()).items;
 */
export type Invitations = Invitation[];

/**
 * Only an open invitation can be accepted.
 *
 * @example
 * const invitationStatus: InvitationStatus = "open";
 */
export type InvitationStatus = "open" | "accepted" | "revoked" | "expired";

/**
 * An invitation with its link.
 *
 * @example
 * const createdInvitation: CreatedInvitation = await client.createInvitation({ name: "Maria", access: "manage" });
 */
export interface CreatedInvitation {
  /** Assigned by the service in ascending order, never reused. */
  id: Int64;
  /**
   * Name of the person: 1 to 100 characters after trimming white space at both ends, without control characters.
   * Two people may have the same.
   */
  name: string;
  /** What the person may do; each level includes the levels before it. */
  access: Access;
  /**
   * The only shelter whose animals the person may change, and whose orders they see; absent for all shelters.
   * Not for access `admin`.
   */
  shelterId?: Int64 | undefined;
  /** The person; absent until a new person has accepted. */
  personId?: Int64 | undefined;
  status: InvitationStatus;
  createdAt: string;
  expiresAt: string;
  acceptedAt?: string | undefined;
  /** The link to send to the person. It works once, and is shown only now. */
  url: string;
}

/**
 * A code, and a label for the device.
 *
 * @example
 * const newDevice: NewDevice = { code: "4fT0bXq9LmZ2sVh7Kc1RdY", device: "Phone" };
 * await client.acceptInvitation(newDevice);
 */
export interface NewDevice {
  /** The part of the link after `#join/`. */
  code: string;
  /**
   * Name of the new key: 1 to 60 characters after trimming white space at both ends, without control characters.
   * Default: `Device`.
   */
  device?: string | undefined;
}

/**
 * The key of a new device, and its person.
 *
 * @example
 * const signedIn: SignedIn = await client.acceptInvitation({ code: "4fT0bXq9LmZ2sVh7Kc1RdY", device: "Phone" });
 */
export interface SignedIn {
  /** The key of this device. It is shown only now. */
  key: string;
  person: Person;
}

/**
 * A link for another device of the same person.
 *
 * @example
 * const deviceLink: DeviceLink = await client.createDeviceLink();
 */
export interface DeviceLink {
  /** Works once, and is shown only now. */
  url: string;
  /** When the link expires: 10 minutes after its creation. */
  expiresAt: string;
}

/**
 * The length of a period. Hours and days are in UTC.
 *
 * @example
 * const periodName: PeriodName = "minute";
 */
export type PeriodName = "minute" | "hour" | "day";

/**
 * The responses of one minute.
 *
 * @example
 * const trafficMinute: TrafficMinute = { at: "2026-11-15T09:30:00.000Z", answers: [{ status: 200, count: 12 }] };
 */
export interface TrafficMinute {
  /** Start of the minute. */
  at: string;
  /** In ascending order of status; empty in a minute without responses. */
  answers: {
    /** The HTTP status. */
    status: number;
    /** Number of responses with this status. */
    count: number;
  }[];
}

/**
 * The responses of the last 60 minutes, oldest first.
 *
 * @example
 * const traffic: Traffic = await client.getTraffic();
 */
export type Traffic = TrafficMinute[];

/**
 * The responses of one minute, hour or day.
 *
 * @example
 * const trafficPeriod: TrafficPeriod = { at: "2026-11-15T09:00:00.000Z", answers: [{ status: 200, count: 12 }] };
 */
export interface TrafficPeriod {
  /** Start of the period. */
  at: string;
  /** In ascending order of status; empty in a period without responses. */
  answers: {
    /** The HTTP status. */
    status: number;
    /** Number of responses with this status. */
    count: number;
  }[];
}

/**
 * The responses of the last periods, oldest first.
 *
 * @example
 * const trafficPeriods: TrafficPeriods = await client.getTrafficPeriods();
 */
export type TrafficPeriods = TrafficPeriod[];

/**
 * The responses of one operation with one status.
 *
 * @example
 * const operationCount: OperationCount = { operation: "listPets", status: 200, count: 12 };
 */
export interface OperationCount {
  /** The operation; `unknown` for a path or method that does not exist. */
  operation: string;
  /** The HTTP status. */
  status: number;
  /** Number of responses with this status. */
  count: number;
}

/**
 * The responses of one day to one key.
 *
 * @example
 * const usageDay: UsageDay = { at: "2026-11-15T00:00:00.000Z", answers: [{ operation: "listPets", status: 200, count: 12 }] };
 */
export interface UsageDay {
  /** Start of the day in UTC. */
  at: string;
  /** In the order of operation and status; empty on a day without responses. */
  answers: OperationCount[];
}

/**
 * The usage of a key.
 *
 * @example
 * const keyUsage: KeyUsage = await client.getKeyUsage(1);
 */
export interface KeyUsage {
  minute: UsageWindow;
  /** Absent for a publishable key. */
  day?: UsageWindow | undefined;
  ban?: KeyBan | undefined;
  /**
   * Streams of events that the key has open, and requests of the key that wait for events, on the node that
   * answers.
   */
  streams: number;
  /** Webhooks that were created with the key. */
  webhooks: number;
  /** Oldest first; the last one is the current day. Responses of other nodes may be missing for a minute. */
  lastDays: UsageDay[];
}

/**
 * The kind of change.
 *
 * @example
 * const auditAction: AuditAction = "key.created";
 */
export type AuditAction =
  | "key.created"
  | "key.updated"
  | "key.rotated"
  | "key.revoked"
  | "key.banned"
  | "key.unbanned"
  | "webhook.created"
  | "webhook.updated"
  | "webhook.rotated"
  | "webhook.deleted"
  | "webhook.disabled"
  | "shelter.created"
  | "shelter.updated"
  | "shelter.deleted"
  | "site.updated"
  | "invitation.created"
  | "invitation.accepted"
  | "invitation.revoked"
  | "person.updated"
  | "person.ended"
  | "session.linked"
  | "session.ended"
  | "data.imported"
  | "data.restored"
  | "data.copied";

/**
 * One change of the service itself. `target` is absent if the public site was changed, the whole store was
 * copied, or an uploaded file was imported; `from` is absent on creation.
 *
 * @example
 * const [auditRecord]: AuditRecord[] = (await client.listAudit().page()).items;
 */
export interface AuditRecord {
  /** Increases by one with every record. */
  number: Int64;
  timestamp: string;
  action: AuditAction;
  actor: AuditActor;
  target?: AuditTarget | undefined;
  from?: AuditState | undefined;
  to?: AuditState | undefined;
}

/**
 * Audit records, newest first.
 *
 * @example
 * const auditRecords: AuditRecords = (await client.listAudit().page()).items;
 */
export type AuditRecords = AuditRecord[];

/**
 * Who made a change: either a key or a command.
 *
 * @example
 * const auditActor: AuditActor = { command: "keys revoke" };
 */
export interface AuditActor {
  /** The key of the API call; 0 is ADMIN_API_KEY. */
  keyId?: Int64 | undefined;
  /** The person of a key of kind `person`, with their current name. */
  person?: {
    /** The person. */
    id: Int64;
    /** Name of the person. */
    name: string;
  };
  /** The operator command; `serve` for what the service does by itself. */
  command?: string | undefined;
}

/**
 * What changed: one of the members.
 *
 * @example
 * const auditTarget: AuditTarget = { keyId: 2 };
 */
export interface AuditTarget {
  /** The key that changed. */
  keyId?: Int64 | undefined;
  /** The webhook that changed. */
  webhookId?: Int64 | undefined;
  /** The shelter that changed. */
  shelterId?: Int64 | undefined;
  /** The person that changed. */
  personId?: Int64 | undefined;
  /** The invitation that changed. */
  invitationId?: Int64 | undefined;
  /** The name of the file that was imported or restored, without its folder. */
  file?: string | undefined;
}

/**
 * Only the members that changed; `null` for one that was not set. Never a secret.
 *
 * @example
 * const auditState: AuditState = { plan: "pro" };
 */
export interface AuditState {
  /** Name of a key, a shelter or a person. */
  name?: string | undefined;
  /** The person of a key or an invitation. */
  personId?: Int64 | undefined;
  /** Plan of a key. */
  plan?: string | undefined;
  /** Access level of a key, a person or an invitation. */
  access?: string | undefined;
  perMinute?: number | null | undefined;
  perDay?: number | null | undefined;
  expiresAt?: string | null | undefined;
  shelterId?: Int64 | null | undefined;
  /** Kind of a key; absent for a secret one. */
  kind?: string | undefined;
  allowedOrigins?: string[] | null | undefined;
  /** The first characters of a key. */
  hint?: string | undefined;
  /** When the old secret of a rotated key stops working. */
  oldEndsAt?: string | undefined;
  /** State of a key. */
  state?: string | undefined;
  /** End of a ban. */
  bannedUntil?: string | undefined;
  /** Address of a webhook. */
  url?: string | undefined;
  types?: string[] | null | undefined;
  description?: string | null | undefined;
  /** Status of a webhook, a person or an invitation. */
  status?: string | undefined;
  disabledReason?: string | null | undefined;
  about?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  website?: string | null | undefined;
  adoptUrl?: string | null | undefined;
  address?: Address | null | undefined;
  location?: Location | null | undefined;
  openingHours?: string | null | undefined;
  /** Whether the public site is open. */
  isPublic?: boolean | undefined;
  title?: string | null | undefined;
  introduction?: string | null | undefined;
  /** Language of the public site. */
  language?: string | undefined;
  accent?: string | null | undefined;
  /** Number of animals that an import has added. */
  pets?: number | undefined;
  /** The first added animal. */
  firstId?: Int64 | undefined;
  /** The last added animal. */
  lastId?: Int64 | undefined;
  /** Number of known animals that an import has changed. */
  updated?: number | undefined;
  /** Identifies a store; a restored or copied one gets another value. */
  store?: string | undefined;
}

/**
 * The body of every response that is neither 2xx nor 304.
 *
 * @example
 * const errorBody: ErrorBody = { code: "pet_not_found", message: "No animal has this identifier.", status: 404 };
 */
export interface ErrorBody {
  /** Machine-readable error code. */
  code:
    | "bad_request"
    | "invalid_json"
    | "invalid_body"
    | "invalid_parameter"
    | "invalid_cursor"
    | "invalid_idempotency_key"
    | "invalid_image"
    | "invalid_file"
    | "url_not_allowed"
    | "missing_api_key"
    | "invalid_api_key"
    | "insufficient_access"
    | "other_shelter"
    | "origin_not_allowed"
    | "pet_not_found"
    | "order_not_found"
    | "category_not_found"
    | "shelter_not_found"
    | "key_not_found"
    | "person_not_found"
    | "invitation_not_found"
    | "photo_not_found"
    | "webhook_not_found"
    | "delivery_not_found"
    | "route_not_found"
    | "method_not_allowed"
    | "request_timeout"
    | "invalid_transition"
    | "pet_not_available"
    | "pet_has_open_order"
    | "shelter_in_use"
    | "external_id_taken"
    | "idempotency_in_progress"
    | "too_many_photos"
    | "too_many_webhooks"
    | "file_has_bad_rows"
    | "feed_reset"
    | "operation_removed"
    | "precondition_failed"
    | "body_too_large"
    | "unsupported_media_type"
    | "idempotency_key_reused"
    | "rate_limit_exceeded"
    | "daily_limit_exceeded"
    | "key_banned"
    | "too_many_streams"
    | "headers_too_large"
    | "internal_error"
    | "unavailable";
  /** Human-readable description. */
  message: string;
  /** The HTTP status code. */
  status: number;
}

/**
 * The query of `listPets`.
 *
 * @example
 * const query: ListPetsQuery = { limit: 100 };
 * const page = await client.listPets(query).page();
 */
export interface ListPetsQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only animals with this status. */
  status?: PetStatus | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listPetHistory`.
 *
 * @example
 * const query: ListPetHistoryQuery = { limit: 100 };
 * const page = await client.listPetHistory(1, query).page();
 */
export interface ListPetHistoryQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listListings`.
 *
 * @example
 * const query: ListListingsQuery = { limit: 100 };
 * const page = await client.listListings(query).page();
 */
export interface ListListingsQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only animals with one of these statuses, separated by commas; `any` for all. */
  status?: string | undefined;
  /**
   * At most 5 words, each of which must occur in the name, breeds, category name, tags, external id or
   * description, ignoring case and accents. A word of one or two letters must begin a word of the name; Chinese,
   * Japanese and Korean characters are words of their own, found in all of these texts. A word of digits also
   * matches the id. Animals whose name contains every word come first. A page can have fewer items than `limit`,
   * or none, although there is a next page.
   */
  q?: string | undefined;
  /** Only animals of this category. */
  categoryId?: Int64 | undefined;
  /** Only animals of this species. */
  species?: Species | undefined;
  /** Only animals of this sex. */
  sex?: Sex | undefined;
  /** Only animals of this size. */
  size?: Size | undefined;
  /** Only animals of this age today. */
  ageGroup?: AgeGroup | undefined;
  /** Only animals that are good with all of these, separated by commas. */
  goodWith?: string | undefined;
  /** Only these animals: at most 100 identifiers, separated by commas. */
  ids?: string | undefined;
  /** Only animals of these shelters: at most 20 identifiers, separated by commas. */
  shelterId?: string | undefined;
  /**
   * Only animals of shelters near this place: LATITUDE,LONGITUDE in degrees. A shelter without a location is
   * never near.
   */
  near?: string | undefined;
  /** The greatest distance from `near` in kilometres, along a great circle. */
  within?: number | undefined;
  /** Only listings that changed at this time or later. */
  updatedSince?: string | undefined;
  /** The order of the list: `newest` starts with the animal that was added last. */
  sort?: "newest" | "oldest" | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `countListings`.
 *
 * @example
 * const query: CountListingsQuery = { status: "available", q: "rex", categoryId: 3, species: "dog", sex: "male", size: "large", ageGroup: "adult", goodWith: "children", ids: "1", shelterId: "1", near: "52.5,13.4", within: 50, updatedSince: "2026-11-15T09:30:00.000Z" };
 * const page = await client.countListings(query);
 */
export interface CountListingsQuery {
  /** Only animals with one of these statuses, separated by commas; `any` for all. */
  status?: string | undefined;
  /**
   * At most 5 words, each of which must occur in the name, breeds, category name, tags, external id or
   * description, ignoring case and accents. A word of one or two letters must begin a word of the name; Chinese,
   * Japanese and Korean characters are words of their own, found in all of these texts. A word of digits also
   * matches the id. Animals whose name contains every word come first.
   */
  q?: string | undefined;
  /** Only animals of this category. */
  categoryId?: Int64 | undefined;
  /** Only animals of this species. */
  species?: Species | undefined;
  /** Only animals of this sex. */
  sex?: Sex | undefined;
  /** Only animals of this size. */
  size?: Size | undefined;
  /** Only animals of this age today. */
  ageGroup?: AgeGroup | undefined;
  /** Only animals that are good with all of these, separated by commas. */
  goodWith?: string | undefined;
  /** Only these animals: at most 100 identifiers, separated by commas. */
  ids?: string | undefined;
  /** Only animals of these shelters: at most 20 identifiers, separated by commas. */
  shelterId?: string | undefined;
  /**
   * Only animals of shelters near this place: LATITUDE,LONGITUDE in degrees. A shelter without a location is
   * never near.
   */
  near?: string | undefined;
  /** The greatest distance from `near` in kilometres, along a great circle. */
  within?: number | undefined;
  /** Only listings that changed at this time or later. */
  updatedSince?: string | undefined;
}

/**
 * The query of `addPhoto`.
 *
 * @example
 * const query: AddPhotoQuery = { alt: "Rex runs across a meadow" };
 * const photo = await client.addPhoto(1, new Uint8Array([0xff, 0xd8, 0xff]), query);
 */
export interface AddPhotoQuery {
  /** A description of the photo for people who cannot see it. */
  alt?: string | undefined;
}

/**
 * The query of `importAnimals`.
 *
 * @example
 * const query: ImportAnimalsQuery = { dryRun: true, progress: false, settings: { map: { externalId: "Number" }, categoryId: 3 } };
 * const importReport = await client.importAnimals(new Blob(["name,categoryId\nRex,3"], { type: "text/csv" }), query);
 */
export interface ImportAnimalsQuery {
  /** Checks the file and writes nothing. */
  dryRun?: boolean | undefined;
  /** Sends the progress every second, as lines of NDJSON. */
  progress?: boolean | undefined;
  /** A JSON object of at most 4 KiB before it is encoded for the URL. */
  settings?: ImportSettings | undefined;
}

/**
 * The query of `getExport`.
 *
 * @example
 * const query: GetExportQuery = { skip: true };
 * const text = await client.getExport("petfinder.csv", query);
 */
export interface GetExportQuery {
  /** Leaves out animals that the file cannot express, instead of refusing it. */
  skip?: boolean | undefined;
}

/**
 * The query of `listOrders`.
 *
 * @example
 * const query: ListOrdersQuery = { limit: 100 };
 * const page = await client.listOrders(query).page();
 */
export interface ListOrdersQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only orders with this status. */
  status?: OrderStatus | undefined;
  /** Only orders for this animal. */
  petId?: Int64 | undefined;
  /** Only orders for animals that belong to this shelter now. */
  shelterId?: Int64 | undefined;
  /**
   * At most 5 words, each of which must occur in the reference or in the name of the animal, ignoring case and
   * accents.
   */
  q?: string | undefined;
  /** Adds `pet`, the current animal, to each order. */
  expand?: "pet" | undefined;
  /**
   * The order of the list: `newest` starts with the newest order, `ending` with the placed order that expires
   * first (only with `status=placed`).
   */
  sort?: "oldest" | "newest" | "ending" | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listCategories`.
 *
 * @example
 * const query: ListCategoriesQuery = { limit: 100 };
 * const page = await client.listCategories(query).page();
 */
export interface ListCategoriesQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listShelters`.
 *
 * @example
 * const query: ListSheltersQuery = { limit: 100 };
 * const page = await client.listShelters(query).page();
 */
export interface ListSheltersQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only shelters near this place: LATITUDE,LONGITUDE in degrees. A shelter without a location is never near. */
  near?: string | undefined;
  /** The greatest distance from `near` in kilometres, along a great circle. */
  within?: number | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listEvents`.
 *
 * @example
 * const query: ListEventsQuery = { limit: 100 };
 * const page = await client.listEvents(query);
 */
export interface ListEventsQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only events of these types, separated by commas; `pet.*` means all types of animals. */
  type?: string | undefined;
  /** Only events of this animal and its orders. */
  petId?: Int64 | undefined;
  /** A cursor, or `now` for the end of the feed. Default: the oldest event that is kept. */
  after?: string | undefined;
  /** If there is no event, wait up to this many seconds for one. While it waits, the request counts as a stream. */
  wait?: number | undefined;
}

/**
 * The query of `listWebhooks`.
 *
 * @example
 * const query: ListWebhooksQuery = { limit: 100 };
 * const page = await client.listWebhooks(query).page();
 */
export interface ListWebhooksQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only webhooks that were created with this key. */
  keyId?: Int64 | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listDeliveries`.
 *
 * @example
 * const query: ListDeliveriesQuery = { limit: 100 };
 * const page = await client.listDeliveries(1, query).page();
 */
export interface ListDeliveriesQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only deliveries with this status. */
  status?: DeliveryStatus | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listKeys`.
 *
 * @example
 * const query: ListKeysQuery = { limit: 100 };
 * const page = await client.listKeys(query).page();
 */
export interface ListKeysQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only keys that have called this deprecated operation. */
  calls?: "getPet" | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listPeople`.
 *
 * @example
 * const query: ListPeopleQuery = { limit: 100 };
 * const page = await client.listPeople(query).page();
 */
export interface ListPeopleQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listInvitations`.
 *
 * @example
 * const query: ListInvitationsQuery = { limit: 100 };
 * const page = await client.listInvitations(query).page();
 */
export interface ListInvitationsQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only invitations with this status. */
  status?: InvitationStatus | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `listAudit`.
 *
 * @example
 * const query: ListAuditQuery = { limit: 100 };
 * const page = await client.listAudit(query).page();
 */
export interface ListAuditQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** The start of the page. Opaque; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
}

/**
 * The query of `getTrafficPeriods`.
 *
 * @example
 * const query: GetTrafficPeriodsQuery = { per: "minute", last: 60, keyId: 2 };
 * const page = await client.getTrafficPeriods(query);
 */
export interface GetTrafficPeriodsQuery {
  /** The length of a period. Hours and days are in UTC. Default: `minute`. */
  per?: PeriodName | undefined;
  /** The number of periods: at most 1440 minutes, 24 hours or 90 days. Default: 60, 24 or 30. */
  last?: number | undefined;
  /** Only responses to this key; 0 is the key in `ADMIN_API_KEY`. */
  keyId?: Int64 | undefined;
}

/**
 * The query of `getKeyUsage`.
 *
 * @example
 * const query: GetKeyUsageQuery = { days: 1 };
 * const page = await client.getKeyUsage(1, query);
 */
export interface GetKeyUsageQuery {
  /** The number of days in `lastDays`. */
  days?: number | undefined;
}

/**
 * Every error code of the service.
 *
 * @example
 * const code: ErrorCode = "pet_not_found";
 */
export type ErrorCode = ErrorBody["code"];

/**
 * The values of every named list.
 *
 * @example
 * console.log(VALUES.PetStatus.join(", ")); // available, pending, sold
 */
export const VALUES = {
  PetStatus: ["available", "pending", "sold"],
  AgeGroup: ["baby", "young", "adult", "senior"],
  Species: ["dog", "cat", "rabbit", "bird", "horse", "reptile", "small_animal", "farm_animal", "other"],
  Sex: ["male", "female", "unknown"],
  Size: ["small", "medium", "large", "extra_large"],
  Coat: ["hairless", "short", "medium", "long", "wire", "curly"],
  YesNoUnknown: ["yes", "no", "unknown"],
  ExportName: ["petfinder.csv", "adoptapet.csv", "rescuegroups.csv"],
  OrderStatus: ["placed", "approved", "delivered", "returned", "cancelled", "expired"],
  SiteLanguage: ["en", "de"],
  WebhookStatus: ["enabled", "disabled"],
  DisabledReason: ["requested", "gone", "failing", "key_ended"],
  EventWord: ["pet.created", "pet.updated", "pet.deleted", "order.created", "order.updated", "category.updated", "category.deleted", "listing.updated", "shelter.created", "shelter.updated", "shelter.deleted", "pet.*", "order.*", "category.*", "listing.*", "shelter.*"],
  DeliveryStatus: ["pending", "delivered", "failed"],
  KeyKind: ["secret", "publishable", "person"],
  Plan: ["free", "pro", "business", "enterprise"],
  Access: ["browse", "adopt", "manage", "admin"],
  KeyState: ["active", "expired", "revoked"],
  PersonStatus: ["active", "ended"],
  InvitationStatus: ["open", "accepted", "revoked", "expired"],
  PeriodName: ["minute", "hour", "day"],
  AuditAction: ["key.created", "key.updated", "key.rotated", "key.revoked", "key.banned", "key.unbanned", "webhook.created", "webhook.updated", "webhook.rotated", "webhook.deleted", "webhook.disabled", "shelter.created", "shelter.updated", "shelter.deleted", "site.updated", "invitation.created", "invitation.accepted", "invitation.revoked", "person.updated", "person.ended", "session.linked", "session.ended", "data.imported", "data.restored", "data.copied"],
} as const;

/**
 * The statuses that may follow each status.
 *
 * @example
 * console.log(TRANSITIONS.OrderStatus.placed.join(", ")); // approved, cancelled
 */
export const TRANSITIONS: {
  readonly PetStatus: Readonly<Record<PetStatus, readonly PetStatus[]>>;
  readonly OrderStatus: Readonly<Record<OrderStatus, readonly OrderStatus[]>>;
} = {
  PetStatus: {
    available: ["pending", "sold"],
    pending: ["available", "sold"],
    sold: ["available"],
  },
  OrderStatus: {
    placed: ["approved", "cancelled"],
    approved: ["delivered", "cancelled"],
    delivered: ["returned"],
    returned: [],
    cancelled: [],
    expired: [],
  },
};

/**
 * The requests that each plan allows.
 *
 * @example
 * console.log(PLANS.free.perMinute); // 60
 */
export const PLANS: Readonly<Record<Plan, { readonly perMinute: number; readonly perDay: number }>> = {
  free: { perMinute: 60, perDay: 1000 },
  pro: { perMinute: 300, perDay: 10000 },
  business: { perMinute: 1000, perDay: 100000 },
  enterprise: { perMinute: 10000, perDay: 1000000 },
};
