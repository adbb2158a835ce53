// The examples in the comments of the generated code.

/** For shapes that are only parts of others. */
export const PART_EXAMPLES: Record<string, unknown> = {
  ChangedState: { status: "available", name: "Rex", categoryId: 3 },
  Error: { code: "pet_not_found", message: "No animal has this identifier.", status: 404 },
};

/** For what the generator adds to the document. */
export const OWN_EXAMPLES = {
  Operations: `async function countAnimals({ getInventory }: Pick<Operations, "getInventory">) {
  const { available, pending, sold } = await getInventory();
  return available + pending + sold;
}`,
  OPERATIONS: "console.log(OPERATIONS.createOrder.access); // adopt",
  ErrorCode: 'const code: ErrorCode = "pet_not_found";',
  VALUES: 'console.log(VALUES.PetStatus.join(", ")); // available, pending, sold',
  TRANSITIONS: 'console.log(TRANSITIONS.OrderStatus.placed.join(", ")); // approved, cancelled',
};

/** The facts about an operation that its example call needs. */
export interface ExampleOperation {
  operationId: string;
  /** Number of identifiers in the path. */
  ids: number;
  /** Type of the result or, if the operation is paged, of an item. */
  resultType: string;
  isPaged: boolean;
  /** Type and example of the body. */
  body: { type: string; example: unknown } | undefined;
}

/** `client.createPet({ name: "Rex" })` */
function callOf({ operationId, ids, body }: ExampleOperation, lastArgument?: string): string {
  const last = lastArgument ?? (body === undefined ? undefined : literal(body.example));
  const args = [...Array.from({ length: ids }, () => "1"), ...(last === undefined ? [] : [last])];
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
export function exampleQuery(type: string, operation: ExampleOperation): string {
  return `const query: ${type} = { limit: 100 };\nconst page = await ${callOf(operation, "query")}.page();`;
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

/** "NewPet" → "newPet" */
function variable(type: string): string {
  return type.charAt(0).toLowerCase() + type.slice(1);
}

/** As JSON, in the form of the formatter. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`);
  return `{ ${members.join(", ")} }`;
}
