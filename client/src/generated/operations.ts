// Generated from docs/openapi.json by client/generate.ts; npm run docs writes it.

import type { Int64 } from "../int64.ts";
import type { Operation } from "../operation.ts";
import type { CallOptions, ChangeOptions, ImportOptions, PostOptions } from "../options.ts";
import type { Pages } from "../pages.ts";
import type { UploadFile } from "../upload.ts";
import type {
  AddPhotoQuery,
  ApiKey,
  AuditRecord,
  Category,
  CategoryNaming,
  Change,
  CountListingsQuery,
  CreatedInvitation,
  Delivery,
  DeviceLink,
  Events,
  ExportName,
  GetExportQuery,
  GetKeyUsageQuery,
  GetTrafficPeriodsQuery,
  ImportAnimalsQuery,
  ImportReport,
  Inventory,
  Invitation,
  IssuedKey,
  IssuedWebhook,
  KeyDetails,
  KeyPatch,
  KeyRotation,
  KeyUsage,
  ListAuditQuery,
  ListCategoriesQuery,
  ListDeliveriesQuery,
  ListEventsQuery,
  ListInvitationsQuery,
  Listing,
  ListingCount,
  ListKeysQuery,
  ListListingsQuery,
  ListOrdersQuery,
  ListPeopleQuery,
  ListPetHistoryQuery,
  ListPetsQuery,
  ListSheltersQuery,
  ListWebhooksQuery,
  NewDevice,
  NewInvitation,
  NewKey,
  NewOrder,
  NewPet,
  NewShelter,
  NewWebhook,
  Order,
  OrderCounts,
  OrderPatch,
  Person,
  PersonPatch,
  Pet,
  PetPatch,
  Photo,
  PhotoOrder,
  PhotoPatch,
  Photos,
  ProfilePatch,
  Shelter,
  ShelterPatch,
  SignedIn,
  Site,
  SitePatch,
  Traffic,
  TrafficPeriods,
  Usage,
  Webhook,
  WebhookPatch,
  WebhookReplay,
  WebhookTest,
} from "./shapes.ts";

/**
 * One method per operation of the service.
 *
 * @example
 * async function countAnimals({ getInventory }: Pick<Operations, "getInventory">) {
 *   const { available, pending, sold } = await getInventory();
 *   return available + pending + sold;
 * }
 */
export interface Operations {
  /**
   * List animals. One page of animals, in ascending order of id. The `Link` header has the address of the next
   * page; it is absent on the last page. Needs access `browse`.
   *
   * @example
   * for await (const pet of client.listPets()) console.log(pet);
   */
  listPets(query?: ListPetsQuery, options?: CallOptions): Pages<Pet>;
  /**
   * Add an animal. The response is sent after the animal is written to disk. Needs access `manage`.
   *
   * @example
   * const pet = await client.createPet({ name: "Rex", categoryId: 3, status: "available" });
   */
  createPet(body: NewPet, options?: PostOptions): Promise<Pet>;
  /**
   * Get an animal. Needs access `browse`.
   * @deprecated Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead, or
   * `getListing` for one animal.
   *
   * @example
   * const pet = await client.getPet(1);
   */
  getPet(petId: Int64, options?: CallOptions): Promise<Pet>;
  /**
   * Change an animal. Allowed status transitions: available → pending or sold; pending → available or sold; sold
   * → available. The current status is accepted and changes nothing. While an order is open, only the order
   * changes the status. `If-Match` takes the ETag of `getListing` or of `getPet`. Needs access `manage`.
   *
   * @example
   * const pet = await client.updatePet(1, { name: "Rex II" });
   */
  updatePet(petId: Int64, body: PetPatch, options?: ChangeOptions): Promise<Pet>;
  /**
   * Delete an animal. Permanent. The history and the past orders of the animal remain. `If-Match` takes the ETag
   * of `getListing` or of `getPet`. Needs access `manage`.
   *
   * @example
   * await client.deletePet(1);
   */
  deletePet(petId: Int64, options?: ChangeOptions): Promise<void>;
  /**
   * List the changes of an animal. One page of the changes of an animal and its orders, in ascending order of
   * number; also for a deleted animal. Numbers count all changes in the store, and no change appears later with
   * a lower number. A key of a shelter sees changes of orders only for animals of this shelter. Needs access
   * `manage`.
   *
   * @example
   * for await (const change of client.listPetHistory(1)) console.log(change);
   */
  listPetHistory(petId: Int64, query?: ListPetHistoryQuery, options?: CallOptions): Pages<Change>;
  /**
   * List animals with profile and photos. One page of listings, newest first; without `status`, of available
   * animals only. An animal must match every filter. The `Link` header has the address of the next page; it is
   * absent on the last page. Needs access `browse`.
   *
   * @example
   * for await (const listing of client.listListings()) console.log(listing);
   */
  listListings(query?: ListListingsQuery, options?: CallOptions): Pages<Listing>;
  /**
   * Count listings. The number of animals that `listListings` lists with the same filters; without `status`, of
   * available animals only. Counting stops at 10000, and a long search ends with what it has found: then `exact`
   * is false, and there are at least `count` animals. Needs access `browse`.
   *
   * @example
   * const listingCount = await client.countListings();
   */
  countListings(query?: CountListingsQuery, options?: CallOptions): Promise<ListingCount>;
  /**
   * Get an animal with profile and photos. In any status; with a publishable key, only while it is available or
   * pending. Needs access `browse`.
   *
   * @example
   * const listing = await client.getListing(1);
   */
  getListing(petId: Int64, options?: CallOptions): Promise<Listing>;
  /**
   * Change the profile of an animal. Changes the given members and keeps the others; `null` removes a member.
   * `goodWith` and `custom` change member by member, every other member as a whole. `shelterId` moves the animal
   * to another shelter. `If-Match` takes the ETag of `getListing`. Needs access `manage`.
   *
   * @example
   * const listing = await client.updateProfile(1, { species: "dog", breeds: ["Labrador Retriever"], mixed: true, sex: "male", bornOn: "2023-05-04", bornIsEstimated: true, size: "large", goodWith: { children: "yes", cats: "unknown" }, neutered: "yes", description: "Calm and curious.\nLikes long walks.", fee: { amount: 25000, currency: "EUR" }, externalId: "A-2041", tags: ["calm"], custom: { kennel: "B 12" } });
   */
  updateProfile(petId: Int64, body: ProfilePatch, options?: ChangeOptions): Promise<Listing>;
  /**
   * Add a photo to an animal. The body is the image itself. It is turned upright, stripped of all metadata and
   * stored as WebP in several widths; the uploaded file is not kept. It may have 50 megapixels, and as an
   * interlaced PNG or progressive JPEG need 320 MB (pixels × bytes per pixel). One image of a key is processed
   * at a time, and two wait. The photo becomes the last of up to 12. If the animal has the same image already,
   * its photo is returned unchanged. Needs access `manage`.
   *
   * @example
   * const photo = await client.addPhoto(1, new Uint8Array([0xff, 0xd8, 0xff]));
   */
  addPhoto(petId: Int64, file: UploadFile, query?: AddPhotoQuery, options?: PostOptions): Promise<Photo>;
  /**
   * Order the photos of an animal. The first photo is the cover. Needs access `manage`.
   *
   * @example
   * const photos = await client.orderPhotos(1, { order: [1] });
   */
  orderPhotos(petId: Int64, body: PhotoOrder, options?: CallOptions): Promise<Photos>;
  /**
   * Describe a photo. Replaces the description for people who cannot see the photo. Needs access `manage`.
   *
   * @example
   * const photo = await client.updatePhoto(1, 1, { alt: "Rex runs across a meadow" });
   */
  updatePhoto(petId: Int64, photoId: Int64, body: PhotoPatch, options?: CallOptions): Promise<Photo>;
  /**
   * Delete a photo. Permanent. The addresses of its image work for another 30 days, because pages may still show
   * it. Needs access `manage`.
   *
   * @example
   * await client.deletePhoto(1, 1);
   */
  deletePhoto(petId: Int64, photoId: Int64, options?: CallOptions): Promise<void>;
  /**
   * Import animals from a file. The body is the file itself: CSV with a heading line, tab-separated values, or
   * NDJSON, with at most 500,000 rows. The whole file is checked before the first row is written; without the
   * setting `skipBad`, one bad row refuses the file. A row with the `externalId` of an animal changes that
   * animal. The same file with the same settings again adds nothing, so an interrupted import is continued by
   * sending it again. With `progress=true` the response is `application/x-ndjson`: lines of
   * `{"progress":{"rows":n}}`, then `{"report":…}`, or `{"error":…}` if it fails after the first row was
   * written. The import ends when the client leaves; what is done by then stays. One import of a key runs at a
   * time, and 2 on a node. Needs access `manage`.
   *
   * @example
   * const importReport = await client.importAnimals(new Blob(["name,categoryId\nRex,3"], { type: "text/csv" }));
   */
  importAnimals(file: UploadFile, query?: ImportAnimalsQuery, options?: ImportOptions): Promise<ImportReport>;
  /**
   * Get a file for an aggregator. The available and pending animals as a file for Petfinder or RescueGroups, or
   * the available ones for Adopt-a-Pet (`pets.csv` without photos), as of one moment. A key of a shelter gets
   * the animals of its shelter. An animal without species, breed or sex, or for RescueGroups with a name of more
   * than 50 characters, cannot be expressed: without `skip`, it refuses the file, because the aggregator deletes
   * what the file does not contain. One export of a key runs at a time, and 2 on a node. Needs access `manage`.
   *
   * @example
   * const text = await client.getExport("petfinder.csv");
   */
  getExport(file: ExportName, query?: GetExportQuery, options?: CallOptions): Promise<string>;
  /**
   * List orders. One page of orders, in ascending order of id unless `sort` says otherwise. A key with access
   * `adopt` sees only its own orders, a key of a shelter only orders for animals of this shelter. Needs access
   * `adopt`.
   *
   * @example
   * for await (const order of client.listOrders()) console.log(order);
   */
  listOrders(query?: ListOrdersQuery, options?: CallOptions): Pages<Order>;
  /**
   * Place an order. Reserves an available animal, which becomes `pending`. If two clients order the same animal
   * at the same time, exactly one succeeds. An order that is not approved in time expires, and the animal
   * becomes available again. Needs access `adopt`.
   *
   * @example
   * const order = await client.createOrder({ petId: 1, reference: "case 4711" });
   */
  createOrder(body: NewOrder, options?: PostOptions): Promise<Order>;
  /**
   * Count the orders. The number of orders in each status at this moment; 1000 means that there are this many or
   * more. For a key with access `adopt`, of its own orders; for a key of a shelter, of orders for its animals.
   * Needs access `adopt`.
   *
   * @example
   * const orderCounts = await client.getOrderCounts();
   */
  getOrderCounts(options?: CallOptions): Promise<OrderCounts>;
  /**
   * Get an order. For a key with access `adopt`, an order of another key is not found; for a key of a shelter,
   * an order for an animal of another shelter. Needs access `adopt`.
   *
   * @example
   * const order = await client.getOrder(1);
   */
  getOrder(orderId: Int64, options?: CallOptions): Promise<Order>;
  /**
   * Change the status of an order. Allowed transitions: placed → approved or cancelled; approved → delivered or
   * cancelled; delivered → returned. `delivered` makes the animal sold; `cancelled` and `returned` make it
   * available again. A key with access `adopt` may cancel its own orders; every other transition needs `manage`.
   * Needs access `adopt`.
   *
   * @example
   * const order = await client.updateOrder(1, { status: "approved" });
   */
  updateOrder(orderId: Int64, body: OrderPatch, options?: ChangeOptions): Promise<Order>;
  /**
   * Count the animals. The number of animals in each status at this moment. Needs access `browse`.
   *
   * @example
   * const inventory = await client.getInventory();
   */
  getInventory(options?: CallOptions): Promise<Inventory>;
  /**
   * List categories. One page of the categories that have a name, in ascending order of id. Needs access
   * `browse`.
   *
   * @example
   * for await (const category of client.listCategories()) console.log(category);
   */
  listCategories(query?: ListCategoriesQuery, options?: CallOptions): Pages<Category>;
  /**
   * Name a category. Creates the category (201) or renames it (200). Animals may have a category id without a
   * name. Needs access `manage`.
   *
   * @example
   * const category = await client.putCategory(1, { name: "Dogs" });
   */
  putCategory(categoryId: Int64, body: CategoryNaming, options?: CallOptions): Promise<Category>;
  /**
   * Delete the name of a category. Animals keep their category id. Needs access `manage`.
   *
   * @example
   * await client.deleteCategory(1);
   */
  deleteCategory(categoryId: Int64, options?: CallOptions): Promise<void>;
  /**
   * List shelters. One page of shelters, in ascending order of id. Every store has at least one. Needs access
   * `browse`.
   *
   * @example
   * for await (const shelter of client.listShelters()) console.log(shelter);
   */
  listShelters(query?: ListSheltersQuery, options?: CallOptions): Pages<Shelter>;
  /**
   * Add a shelter. The animals of a new shelter are those that its keys create, and those that are moved to it
   * with `updateProfile`. Needs access `admin`.
   *
   * @example
   * const shelter = await client.createShelter({ name: "Riverside Shelter", email: "hello@riverside.example", phone: "+49 30 123456", address: { city: "Berlin", country: "DE" }, location: { latitude: 52.53, longitude: 13.38 } });
   */
  createShelter(body: NewShelter, options?: PostOptions): Promise<Shelter>;
  /**
   * Get a shelter. The shelter with its contact, address and place. Needs access `browse`.
   *
   * @example
   * const shelter = await client.getShelter(1);
   */
  getShelter(shelterId: Int64, options?: CallOptions): Promise<Shelter>;
  /**
   * Change a shelter. Changes the given members and keeps the others; `null` removes a member. `address` and
   * `location` change as a whole. A key of this shelter may do this with access `manage`; every other key needs
   * `admin`. `If-Match` takes the ETag of `getShelter`. Needs access `manage`.
   *
   * @example
   * const shelter = await client.updateShelter(1, { phone: "+49 30 654321" });
   */
  updateShelter(shelterId: Int64, body: ShelterPatch, options?: ChangeOptions): Promise<Shelter>;
  /**
   * Delete a shelter. Only a shelter without animals, people and keys that are not revoked, and never the first
   * one. Open invitations to it are revoked. `If-Match` takes the ETag of `getShelter`. Needs access `admin`.
   *
   * @example
   * await client.deleteShelter(1);
   */
  deleteShelter(shelterId: Int64, options?: ChangeOptions): Promise<void>;
  /**
   * Get the settings of the public site. Whether people without a key see the animals at `/animals`, and how the
   * pages look. Needs access `browse`.
   *
   * @example
   * const site = await client.getSite();
   */
  getSite(options?: CallOptions): Promise<Site>;
  /**
   * Open, close or change the public site. Changes the given members and keeps the others; `null` removes
   * `title`, `introduction` or `accent`. Takes effect on every node within a second. Needs access `admin`.
   *
   * @example
   * const site = await client.updateSite({ isPublic: true, title: "Riverside animals", accent: "#2f6f4f" });
   */
  updateSite(body: SitePatch, options?: CallOptions): Promise<Site>;
  /**
   * List changes. One page of the changes of animals, orders, categories and shelters, oldest first, each with
   * the complete new state. The `next` link is on every page, also on an empty one: follow it to get later
   * events. Without access `manage`, a key sees no orders, or with `adopt` its own; a key of a shelter sees
   * orders for its animals only. Animals that are older than the change history have no event until they change.
   * A request that waits counts as one of the 5 streams of its key. Needs access `browse`.
   *
   * @example
   * const events = await client.listEvents();
   */
  listEvents(query?: ListEventsQuery, options?: CallOptions): Promise<Events>;
  /**
   * List webhooks. One page of the webhooks of the key, for access `admin` of all keys, in order of id. Needs
   * access `manage`.
   *
   * @example
   * for await (const webhook of client.listWebhooks()) console.log(webhook);
   */
  listWebhooks(query?: ListWebhooksQuery, options?: CallOptions): Pages<Webhook>;
  /**
   * Create a webhook. Every event that the key may see is sent to the URL, at least once and in any order,
   * signed as in Standard Webhooks 1.0.0. Only this response contains the secret. Needs access `manage`.
   *
   * @example
   * const issuedWebhook = await client.createWebhook({ url: "https://hooks.example.net/animals", types: ["pet.*"], description: "Website" });
   */
  createWebhook(body: NewWebhook, options?: PostOptions): Promise<IssuedWebhook>;
  /**
   * Get a webhook. Shows whether its receiver accepts the events, and how many are not delivered. Needs access
   * `manage`.
   *
   * @example
   * const webhook = await client.getWebhook(1);
   */
  getWebhook(webhookId: Int64, options?: CallOptions): Promise<Webhook>;
  /**
   * Change, disable or enable a webhook. An enabled webhook continues where it was disabled, so that nothing is
   * lost; with `after`, it continues from now. Needs access `manage`.
   *
   * @example
   * const webhook = await client.updateWebhook(1, { types: ["pet.created", "pet.deleted"] });
   */
  updateWebhook(webhookId: Int64, body: WebhookPatch, options?: CallOptions): Promise<Webhook>;
  /**
   * Delete a webhook. Nothing more is sent. Its deliveries are deleted too. Needs access `manage`.
   *
   * @example
   * await client.deleteWebhook(1);
   */
  deleteWebhook(webhookId: Int64, options?: CallOptions): Promise<void>;
  /**
   * Send a test event. Sends an event of type `webhook.test` at once, also to a disabled webhook, and waits for
   * the result. Needs access `manage`.
   *
   * @example
   * const webhookTest = await client.testWebhook(1);
   */
  testWebhook(webhookId: Int64, options?: PostOptions): Promise<WebhookTest>;
  /**
   * Replace the secret of a webhook. For 24 hours, every request has two signatures, one with each secret. Only
   * this response contains the new secret. Needs access `manage`.
   *
   * @example
   * const issuedWebhook = await client.rotateWebhook(1);
   */
  rotateWebhook(webhookId: Int64, options?: PostOptions): Promise<IssuedWebhook>;
  /**
   * List the deliveries of a webhook. One page of the deliveries, newest first. Needs access `manage`.
   *
   * @example
   * for await (const delivery of client.listDeliveries(1)) console.log(delivery);
   */
  listDeliveries(webhookId: Int64, query?: ListDeliveriesQuery, options?: CallOptions): Pages<Delivery>;
  /**
   * Send events again. Repeats one delivery, or all events after a cursor, with the same event ids. While the
   * webhook is disabled, they wait. One replay after a cursor runs at a time: until all of its events are
   * pending again, another one is 409. Needs access `manage`.
   *
   * @example
   * const webhook = await client.replayWebhook(1, { deliveryId: 1 });
   */
  replayWebhook(webhookId: Int64, body: WebhookReplay, options?: PostOptions): Promise<Webhook>;
  /**
   * Show the remaining requests. Not counted against any limit. Works during a ban too. Needs access `browse`.
   *
   * @example
   * const usage = await client.getUsage();
   */
  getUsage(options?: CallOptions): Promise<Usage>;
  /**
   * List keys. One page of keys, in ascending order of id, including revoked and expired ones. `ban` is present
   * while a key is banned. Needs access `admin`.
   *
   * @example
   * for await (const apiKey of client.listKeys()) console.log(apiKey);
   */
  listKeys(query?: ListKeysQuery, options?: CallOptions): Pages<ApiKey>;
  /**
   * Create a key. Only this response contains a secret key. A publishable key is for web pages: it needs
   * `allowedOrigins`, and `getKey` shows it again. Needs access `admin`.
   *
   * @example
   * const issuedKey = await client.createKey({ name: "Website", plan: "free", access: "browse" });
   */
  createKey(body: NewKey, options?: PostOptions): Promise<IssuedKey>;
  /**
   * Get a key. Includes the current state of both rate limit windows, and the ban if there is one. Needs access
   * `admin`.
   *
   * @example
   * const keyDetails = await client.getKey(1);
   */
  getKey(keyId: Int64, options?: CallOptions): Promise<KeyDetails>;
  /**
   * Change a key. Takes effect with the next request. Leaving the enterprise plan removes the key's own limits.
   * Of a person's key, only the name can be changed. Needs access `admin`.
   *
   * @example
   * const apiKey = await client.updateKey(1, { plan: "pro" });
   */
  updateKey(keyId: Int64, body: KeyPatch, options?: CallOptions): Promise<ApiKey>;
  /**
   * Revoke a key. Permanent; takes effect with the next request. The key remains in the list as revoked.
   * Revoking the key of a person ends the session of that device. Needs access `admin`.
   *
   * @example
   * await client.revokeKey(1);
   */
  revokeKey(keyId: Int64, options?: CallOptions): Promise<void>;
  /**
   * Rotate the secret of a key. The key keeps its id, settings and counts. The old secret works until the grace
   * period ends. A person's key cannot be rotated. Needs access `admin`.
   *
   * @example
   * const issuedKey = await client.rotateKey(1, { graceSeconds: 3600 });
   */
  rotateKey(keyId: Int64, body?: KeyRotation, options?: PostOptions): Promise<IssuedKey>;
  /**
   * Lift the ban of a key. Takes effect with the next request. Without a ban, nothing changes. Needs access
   * `admin`.
   *
   * @example
   * const apiKey = await client.unbanKey(1);
   */
  unbanKey(keyId: Int64, options?: PostOptions): Promise<ApiKey>;
  /**
   * List people. One page of the people who have accepted an invitation, in ascending order of id, including
   * those whose access has ended. Needs access `admin`.
   *
   * @example
   * for await (const person of client.listPeople()) console.log(person);
   */
  listPeople(query?: ListPeopleQuery, options?: CallOptions): Pages<Person>;
  /**
   * Change a person. Takes effect with the next request of each of their devices. Needs access `admin`.
   *
   * @example
   * const person = await client.updatePerson(1, { access: "adopt" });
   */
  updatePerson(personId: Int64, body: PersonPatch, options?: CallOptions): Promise<Person>;
  /**
   * End the access of a person. Permanent; takes effect with the next request. Revokes the keys of all their
   * devices, their links and their open invitations. The person remains in the list as ended. Needs access
   * `admin`.
   *
   * @example
   * await client.endPerson(1);
   */
  endPerson(personId: Int64, options?: CallOptions): Promise<void>;
  /**
   * List invitations. One page of invitations, in ascending order of id, without their codes. Needs access
   * `admin`.
   *
   * @example
   * for await (const invitation of client.listInvitations()) console.log(invitation);
   */
  listInvitations(query?: ListInvitationsQuery, options?: CallOptions): Pages<Invitation>;
  /**
   * Invite a person. Only this response contains the link. Whoever opens it first signs in as this person, so
   * send it in a way that only they read. Needs access `admin`.
   *
   * @example
   * const createdInvitation = await client.createInvitation({ name: "Maria", access: "manage" });
   */
  createInvitation(body: NewInvitation, options?: PostOptions): Promise<CreatedInvitation>;
  /**
   * Revoke an invitation. Only an open one: its link no longer works. The invitation remains in the list as
   * revoked. Needs access `admin`.
   *
   * @example
   * await client.revokeInvitation(1);
   */
  revokeInvitation(invitationId: Int64, options?: CallOptions): Promise<void>;
  /**
   * Accept an invitation. Signs in with the code of an invitation or a link, which works once. `Authorization`
   * and `Idempotency-Key` are ignored. Needs no key.
   *
   * @example
   * const signedIn = await client.acceptInvitation({ code: "4fT0bXq9LmZ2sVh7Kc1RdY", device: "Phone" });
   */
  acceptInvitation(body: NewDevice, options?: CallOptions): Promise<SignedIn>;
  /**
   * Sign in on another device. A link that signs another device in as the same person, once. Only for keys of
   * people. Revoking the key, or ending the person, closes it. Needs access `browse`.
   *
   * @example
   * const deviceLink = await client.createDeviceLink();
   */
  createDeviceLink(options?: PostOptions): Promise<DeviceLink>;
  /**
   * Sign out. Revokes the key of the request. Only for keys of people. Needs access `browse`.
   *
   * @example
   * await client.endSession();
   */
  endSession(options?: CallOptions): Promise<void>;
  /**
   * List the changes of the service itself. One page of the audit log, newest first: changes of keys, webhooks,
   * shelters and the public site, bans, imports, and the restoring or copying of the store, by API calls and by
   * operator commands. Needs access `admin`.
   *
   * @example
   * for await (const auditRecord of client.listAudit()) console.log(auditRecord);
   */
  listAudit(query?: ListAuditQuery, options?: CallOptions): Pages<AuditRecord>;
  /**
   * Count the responses of the last hour. The number of responses by status in each of the last 60 minutes, for
   * operations and for unknown paths. All nodes are counted; the last minute of other nodes may be missing.
   * Needs access `admin`.
   *
   * @example
   * const traffic = await client.getTraffic();
   */
  getTraffic(options?: CallOptions): Promise<Traffic>;
  /**
   * Count the responses by minute, hour or day. The number of responses by status in each of the last periods,
   * to all callers or to one key. Minutes are kept for a day, days for 90 days. All nodes are counted; the last
   * minute of other nodes may be missing. Needs access `admin`.
   *
   * @example
   * const trafficPeriods = await client.getTrafficPeriods();
   */
  getTrafficPeriods(query?: GetTrafficPeriodsQuery, options?: CallOptions): Promise<TrafficPeriods>;
  /**
   * Show the usage of a key. The remaining requests of a key, its responses by day, operation and status, and
   * what it has open. `getTrafficPeriods` with `keyId` has its responses by minute and hour. Needs access
   * `admin`.
   *
   * @example
   * const keyUsage = await client.getKeyUsage(1);
   */
  getKeyUsage(keyId: Int64, query?: GetKeyUsageQuery, options?: CallOptions): Promise<KeyUsage>;
}

/**
 * Method, path, access and other facts about each operation.
 *
 * @example
 * console.log(OPERATIONS.createOrder.access); // adopt
 */
export const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = {
  listPets: { method: "GET", path: "/pets", access: "browse", takes: "query", isPaged: true },
  createPet: { method: "POST", path: "/pets", access: "manage", takes: "body" },
  getPet: {
    method: "GET",
    path: "/pets/{petId}",
    access: "browse",
    deprecated: "Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead, or `getListing` for one animal.",
    sunset: "2030-12-05",
  },
  updatePet: { method: "PATCH", path: "/pets/{petId}", access: "manage", takes: "body" },
  deletePet: { method: "DELETE", path: "/pets/{petId}", access: "manage" },
  listPetHistory: {
    method: "GET",
    path: "/pets/{petId}/history",
    access: "manage",
    takes: "query",
    isPaged: true,
  },
  listListings: { method: "GET", path: "/listings", access: "browse", takes: "query", isPaged: true },
  countListings: { method: "GET", path: "/listings/count", access: "browse", takes: "query" },
  getListing: { method: "GET", path: "/listings/{petId}", access: "browse" },
  updateProfile: { method: "PATCH", path: "/pets/{petId}/profile", access: "manage", takes: "body" },
  addPhoto: { method: "POST", path: "/pets/{petId}/photos", access: "manage", takes: "file" },
  orderPhotos: { method: "PATCH", path: "/pets/{petId}/photos", access: "manage", takes: "body" },
  updatePhoto: { method: "PATCH", path: "/pets/{petId}/photos/{photoId}", access: "manage", takes: "body" },
  deletePhoto: { method: "DELETE", path: "/pets/{petId}/photos/{photoId}", access: "manage" },
  importAnimals: { method: "POST", path: "/imports", access: "manage", takes: "file" },
  getExport: { method: "GET", path: "/exports/{file}", access: "manage", takes: "query", isFile: true },
  listOrders: { method: "GET", path: "/store/orders", access: "adopt", takes: "query", isPaged: true },
  createOrder: { method: "POST", path: "/store/orders", access: "adopt", takes: "body" },
  getOrderCounts: { method: "GET", path: "/store/order-counts", access: "adopt" },
  getOrder: { method: "GET", path: "/store/orders/{orderId}", access: "adopt" },
  updateOrder: { method: "PATCH", path: "/store/orders/{orderId}", access: "adopt", takes: "body" },
  getInventory: { method: "GET", path: "/store/inventory", access: "browse" },
  listCategories: { method: "GET", path: "/categories", access: "browse", takes: "query", isPaged: true },
  putCategory: { method: "PUT", path: "/categories/{categoryId}", access: "manage", takes: "body" },
  deleteCategory: { method: "DELETE", path: "/categories/{categoryId}", access: "manage" },
  listShelters: { method: "GET", path: "/shelters", access: "browse", takes: "query", isPaged: true },
  createShelter: { method: "POST", path: "/shelters", access: "admin", takes: "body" },
  getShelter: { method: "GET", path: "/shelters/{shelterId}", access: "browse" },
  updateShelter: { method: "PATCH", path: "/shelters/{shelterId}", access: "manage", takes: "body" },
  deleteShelter: { method: "DELETE", path: "/shelters/{shelterId}", access: "admin" },
  getSite: { method: "GET", path: "/site", access: "browse" },
  updateSite: { method: "PATCH", path: "/site", access: "admin", takes: "body" },
  listEvents: { method: "GET", path: "/events", access: "browse", takes: "query" },
  listWebhooks: { method: "GET", path: "/webhooks", access: "manage", takes: "query", isPaged: true },
  createWebhook: { method: "POST", path: "/webhooks", access: "manage", takes: "body" },
  getWebhook: { method: "GET", path: "/webhooks/{webhookId}", access: "manage" },
  updateWebhook: { method: "PATCH", path: "/webhooks/{webhookId}", access: "manage", takes: "body" },
  deleteWebhook: { method: "DELETE", path: "/webhooks/{webhookId}", access: "manage" },
  testWebhook: { method: "POST", path: "/webhooks/{webhookId}/test", access: "manage" },
  rotateWebhook: { method: "POST", path: "/webhooks/{webhookId}/rotate", access: "manage" },
  listDeliveries: {
    method: "GET",
    path: "/webhooks/{webhookId}/deliveries",
    access: "manage",
    takes: "query",
    isPaged: true,
  },
  replayWebhook: { method: "POST", path: "/webhooks/{webhookId}/replay", access: "manage", takes: "body" },
  getUsage: { method: "GET", path: "/usage", access: "browse" },
  listKeys: { method: "GET", path: "/keys", access: "admin", takes: "query", isPaged: true },
  createKey: { method: "POST", path: "/keys", access: "admin", takes: "body" },
  getKey: { method: "GET", path: "/keys/{keyId}", access: "admin" },
  updateKey: { method: "PATCH", path: "/keys/{keyId}", access: "admin", takes: "body" },
  revokeKey: { method: "DELETE", path: "/keys/{keyId}", access: "admin" },
  rotateKey: { method: "POST", path: "/keys/{keyId}/rotate", access: "admin", takes: "body" },
  unbanKey: { method: "POST", path: "/keys/{keyId}/unban", access: "admin" },
  listPeople: { method: "GET", path: "/people", access: "admin", takes: "query", isPaged: true },
  updatePerson: { method: "PATCH", path: "/people/{personId}", access: "admin", takes: "body" },
  endPerson: { method: "DELETE", path: "/people/{personId}", access: "admin" },
  listInvitations: { method: "GET", path: "/invitations", access: "admin", takes: "query", isPaged: true },
  createInvitation: { method: "POST", path: "/invitations", access: "admin", takes: "body" },
  revokeInvitation: { method: "DELETE", path: "/invitations/{invitationId}", access: "admin" },
  acceptInvitation: { method: "POST", path: "/invitations/accept", takes: "body", isOnce: true },
  createDeviceLink: { method: "POST", path: "/session/link", access: "browse" },
  endSession: { method: "DELETE", path: "/session", access: "browse" },
  listAudit: { method: "GET", path: "/audit", access: "admin", takes: "query", isPaged: true },
  getTraffic: { method: "GET", path: "/traffic", access: "admin" },
  getTrafficPeriods: { method: "GET", path: "/traffic/periods", access: "admin", takes: "query" },
  getKeyUsage: { method: "GET", path: "/keys/{keyId}/usage", access: "admin", takes: "query" },
};
