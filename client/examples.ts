// The examples in the comments of the generated code.

const PET_EVENT = eventExample("pet.created", {
  pet: { id: 1, name: "Rex", categoryId: 3, status: "available" },
});

/** Examples of shapes that are only parts of others. */
export const PART_EXAMPLES: Record<string, unknown> = {
  Event: PET_EVENT,
  PetEvent: PET_EVENT,
  OrderEvent: eventExample("order.updated", {
    order: {
      id: 1,
      petId: 1,
      status: "approved",
      reference: "",
      createdAt: "2026-11-15T09:30:00.000Z",
      updatedAt: "2026-11-15T09:30:00.000Z",
    },
    previous: { status: "placed" },
  }),
  CategoryEvent: eventExample("category.updated", { category: { id: 3, name: "Dogs" } }),
  ListingEvent: eventExample("listing.updated", {
    listing: {
      id: 1,
      name: "Rex",
      categoryId: 3,
      status: "available",
      profile: { species: "dog" },
      photos: [],
      shelter: { id: 1, name: "Our shelter" },
      createdAt: "2026-11-15T09:30:00.000Z",
      updatedAt: "2026-11-15T09:30:00.000Z",
    },
  }),
  ShelterEvent: eventExample("shelter.updated", {
    shelter: {
      id: 1,
      name: "Riverside",
      createdAt: "2026-11-15T09:30:00.000Z",
      updatedAt: "2026-11-15T09:30:00.000Z",
    },
    previous: { name: "Our shelter" },
  }),
  ShelterSummary: { id: 1, name: "Our shelter" },
  Address: { city: "Berlin", country: "DE" },
  Location: { latitude: 52.53, longitude: 13.38 },
  Profile: { species: "dog", bornOn: "2023-05-04", goodWith: { children: "yes" } },
  PhotoUrls: { 320: "https://animals.example.org/photos/b9ba4e4e-320.webp" },
  ImportSettings: { map: { externalId: "Number" }, dateOrder: "dmy" },
  ImportProblem: { line: 3, heading: "Sex", value: "tom", message: "sex must be female, male or unknown" },
  ImportColumn: { heading: "Sex", member: "sex", readAs: "sex", samples: ["m"] },
  ChangedState: { status: "available", name: "Rex", categoryId: 3 },
  KeyBan: { reset: 1763197242 },
  UsageWindow: { limit: 60, remaining: 59, reset: 1763197242 },
  TrafficMinute: { at: "2026-11-15T09:30:00.000Z", answers: [{ status: 200, count: 12 }] },
  TrafficPeriod: { at: "2026-11-15T09:00:00.000Z", answers: [{ status: 200, count: 12 }] },
  OperationCount: { operation: "listPets", status: 200, count: 12 },
  UsageDay: {
    at: "2026-11-15T00:00:00.000Z",
    answers: [{ operation: "listPets", status: 200, count: 12 }],
  },
  AuditActor: { command: "keys revoke" },
  AuditTarget: { keyId: 2 },
  AuditState: { plan: "pro" },
  Error: { code: "pet_not_found", message: "No animal has this identifier.", status: 404 },
};

function eventExample(type: string, data: object): object {
  return { id: "evt_9f86d081884c7d65_3", number: 3, type, timestamp: "2026-11-15T09:30:00.000Z", data };
}

/** Examples of types that the generator adds to the document. */
export const OWN_EXAMPLES = {
  Operations: `async function countAnimals({ getInventory }: Pick<Operations, "getInventory">) {
  const { available, pending, sold } = await getInventory();
  return available + pending + sold;
}`,
  OPERATIONS: "console.log(OPERATIONS.createOrder.access); // adopt",
  ErrorCode: 'const code: ErrorCode = "pet_not_found";',
  VALUES: 'console.log(VALUES.PetStatus.join(", ")); // available, pending, sold',
  PLANS: "console.log(PLANS.free.perMinute); // 60",
  TRANSITIONS: 'console.log(TRANSITIONS.OrderStatus.placed.join(", ")); // approved, cancelled',
};

/** The facts about an operation that its example call needs. */
export interface ExampleOperation {
  operationId: string;
  /** Literals for the parameters of the path. */
  ids: string[];
  /** Type of the result or, if the operation is paged, of an item. */
  resultType: string;
  isPaged: boolean;
  /** Type and example of the body. */
  body: { type: string; example: unknown } | undefined;
  /** Whether it takes a file. */
  hasFile: boolean;
}

/** By operation. */
const FILES: Record<string, string> = {
  addPhoto: "new Uint8Array([0xff, 0xd8, 0xff])",
  importAnimals: 'new Blob(["name,categoryId\\nRex,3"], { type: "text/csv" })',
};

/** `client.createPet({ name: "Rex" })` */
function callOf({ operationId, ids, body, hasFile }: ExampleOperation, lastArgument?: string): string {
  const last = lastArgument ?? (body === undefined ? undefined : literal(body.example));
  const args = [
    ...ids,
    ...(hasFile ? [FILES[operationId] as string] : []),
    ...(last === undefined ? [] : [last]),
  ];
  return `client.${operationId}(${args.join(", ")})`;
}

/** A call of the operation. */
export function exampleCall(operation: ExampleOperation): string {
  const { resultType, isPaged } = operation;
  const call = callOf(operation);
  if (isPaged)
    return `for await (const ${variable(resultType)} of ${call}) console.log(${variable(resultType)});`;
  return resultType === "void" ? `await ${call};` : `const ${variable(resultType)} = await ${call};`;
}

/** A call with a variable of the query type. */
export function exampleQuery(type: string, operation: ExampleOperation, example: object): string {
  const call = callOf(operation, "query");
  return `const query: ${type} = ${literal(example)};\nconst ${operation.hasFile || operation.resultType === TEXT ? variable(operation.resultType) : "page"} = await ${operation.isPaged ? `${call}.page()` : call};`;
}

interface Shape {
  type: string;
  /** Type of the items, if the shape is an array. */
  itemType: string | undefined;
  /** Undefined where the document has none. */
  example: unknown;
}

/** A call that takes or returns the shape; a value of the shape where no operation does. */
export function exampleShape({ type, itemType, example }: Shape, operations: ExampleOperation[]): string {
  const name = variable(type);
  const taking = operations.find(({ body }) => body?.type === type);
  if (taking !== undefined)
    return `const ${name}: ${type} = ${literal(taking.body?.example)};\nawait ${callOf(taking, name)};`;
  const returning = operations.find(({ resultType, isPaged }) => resultType === type && !isPaged);
  if (returning !== undefined) return `const ${name}: ${type} = await ${callOf(returning)};`;
  const listing = operations.find(
    ({ resultType, isPaged }) => isPaged && [type, itemType].includes(resultType),
  );
  if (listing !== undefined) {
    const page = `(await ${callOf(listing)}.page()).items`;
    return itemType === undefined
      ? `const [${name}]: ${type}[] = ${page};`
      : `const ${name}: ${type} = ${page};`;
  }
  if (example === undefined) throw new Error(`${type} has no example`);
  return `const ${name}: ${type} = ${literal(example)};`;
}

const TEXT = "string";

/** "NewPet" → "newPet" */
function variable(type: string): string {
  if (type === TEXT) return "text";
  return type.charAt(0).toLowerCase() + type.slice(1);
}

/** As JSON, in the form of the formatter. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`);
  return `{ ${members.join(", ")} }`;
}
