// Generates client/src/generated/ from the OpenAPI document: shapes as types, operations as methods and as a table.

import { comment, commentWithExample, LINE_MAX } from "./comments.ts";
import {
  type ExampleOperation,
  exampleCall,
  exampleQuery,
  exampleShape,
  OWN_EXAMPLES,
  PART_EXAMPLES,
} from "./examples.ts";

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  contentSchema?: Schema;
  "x-transitions"?: Record<string, string[]>;
  "x-limits"?: Record<string, Record<string, number>>;
}

interface Content {
  content?: {
    "application/json": { schema: Schema; example: unknown };
    "text/event-stream"?: object;
    "application/x-ndjson"?: object;
    "text/csv"?: { schema: Schema };
  };
}

interface Parameter {
  name: string;
  in: string;
  description?: string;
  example?: unknown;
  schema: Schema;
}

interface OperationObject {
  operationId: string;
  summary: string;
  description?: string;
  /** Empty for an operation that needs no key. */
  security: Array<{ bearerAuth?: [string] }>;
  deprecated?: boolean;
  "x-sunset"?: string;
  parameters?: Parameter[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
}

type Schemas = OpenApiDocument["components"]["schemas"];

const HEAD = "// Generated from docs/openapi.json by client/generate.ts; npm run docs writes it.\n";

/** Two files, because the client's other modules need the shapes, and the operations need those modules. */
export function renderClient({ paths, components: { schemas } }: OpenApiDocument) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => describeOperation(method.toUpperCase(), path, operation, schemas)),
  );
  return { shapes: renderShapes(schemas, operations), operations: renderOperations(operations) };
}

type DescribedOperation = ReturnType<typeof describeOperation>;

function renderShapes(schemas: Schemas, operations: DescribedOperation[]): string {
  const samples = operations.map(({ sample }) => sample);
  const shapes = Object.entries(schemas).map(([name, schema]) => {
    const type = typeName(name);
    const itemType = schema.items === undefined ? undefined : typeOf(schema.items);
    const example = schema.enum?.[0] ?? PART_EXAMPLES[name];
    return declareShape(type, schema, exampleShape({ type, itemType, example }, samples));
  });
  const queries = operations.flatMap(({ query }) => (query === undefined ? [] : [query]));
  return [
    HEAD,
    importTypes(["Int64"], "../int64.ts"),
    ...[...shapes, ...queries].map((shape) => `${shape}\n`),
    `${commentWithExample("Every error code of the service.", OWN_EXAMPLES.ErrorCode)}export type ErrorCode = ErrorBody["code"];\n`,
    declareValues(schemas),
    declareTransitions(schemas),
    declarePlans(schemas),
  ].join("\n");
}

function renderOperations(operations: DescribedOperation[]): string {
  const used = new Set(operations.flatMap(({ types }) => types));
  const imported = [...used].filter((name) => !["Int64", "void", "string"].includes(name)).sort(byName);
  return [
    HEAD,
    [
      importTypes(["Int64"], "../int64.ts"),
      importTypes(["Operation"], "../operation.ts"),
      importTypes(["CallOptions", "ChangeOptions", "ImportOptions", "PostOptions"], "../options.ts"),
      importTypes(["Pages"], "../pages.ts"),
      importTypes(["UploadFile"], "../upload.ts"),
      importTypes(imported, "./shapes.ts"),
    ].join(""),
    `${commentWithExample("One method per operation of the service.", OWN_EXAMPLES.Operations)}export interface Operations {\n${operations.map(({ signature }) => signature).join("\n")}\n}\n`,
    `${commentWithExample("Method, path, access and other facts about each operation.", OWN_EXAMPLES.OPERATIONS)}export const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = {\n${operations.map(({ row }) => row).join("\n")}\n};\n`,
  ].join("\n");
}

function importTypes(names: string[], file: string): string {
  const line = `import type { ${names.join(", ")} } from ${quote(file)};\n`;
  return line.length <= LINE_MAX
    ? line
    : `import type {\n${names.map((name) => `  ${name},\n`).join("")}} from ${quote(file)};\n`;
}

function describeOperation(method: string, path: string, operation: OperationObject, schemas: Schemas) {
  const { operationId, parameters = [] } = operation;
  const hasIdempotencyKey = parameters.some(({ name }) => name === "Idempotency-Key");
  const access = accessOf(operation);
  const isOnce = method === "POST" && access === undefined;
  if ((method === "POST" && !hasProgress(operation) && !isOnce) !== hasIdempotencyKey)
    throw new Error(`${operationId}: POST operations with a key take an Idempotency-Key, others do not`);

  const result = resultOf(operation);
  const item = result?.$ref === undefined ? undefined : schemas[refName(result.$ref)]?.items;
  const isPaged = item !== undefined && parameters.some(({ name }) => name === "cursor");
  const { inPath, inQuery, queryName, body, example, hasFile } = inputOf(operation);
  const resultType = isPaged ? typeOf(item) : result === undefined ? "void" : typeOf(result);
  const sample: ExampleOperation = {
    operationId,
    resultType,
    isPaged,
    hasFile,
    ids: inPath.map(exampleId),
    body: body === undefined ? undefined : { type: typeOf(body), example },
  };

  return {
    sample,
    types: [
      resultType,
      ...inPath.map(({ schema }) => typeOf(schema)),
      ...(body ? [typeOf(body)] : []),
      ...(inQuery.length > 0 ? [queryName] : []),
    ],
    query: inQuery.length === 0 ? undefined : declareQuery(queryName, sample, inQuery),
    signature: `${commentWithExample(documentation(operation), exampleCall(sample), "  ")}  ${operationId}(${listArguments(operation).join(", ")}): ${isPaged ? "Pages" : "Promise"}<${resultType}>;`,
    row: tableRow(operationId, [
      `method: "${method}"`,
      `path: "${path}"`,
      ...(access === undefined ? [] : [`access: "${access}"`]),
      ...takesOf({ hasFile, hasQuery: inQuery.length > 0, hasBody: body !== undefined }),
      ...(isOnce ? ["isOnce: true"] : []),
      ...(isPaged ? ["isPaged: true"] : []),
      ...(isFile(operation) ? ["isFile: true"] : []),
      ...(operation.deprecated ? [`deprecated: ${JSON.stringify(operation.description)}`] : []),
      ...(operation["x-sunset"] ? [`sunset: "${operation["x-sunset"]}"`] : []),
    ]),
  };
}

/** What a request of the operation carries besides headers. */
function inputOf({ operationId, parameters = [], requestBody }: OperationObject) {
  const { schema: body, example } = requestBody?.content?.["application/json"] ?? {};
  return {
    inPath: parameters.filter((each) => each.in === "path"),
    inQuery: parameters.filter((each) => each.in === "query"),
    queryName: `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`,
    body,
    example,
    hasFile: requestBody !== undefined && body === undefined,
  };
}

/** The arguments of the client's method, with their types. */
function listArguments(operation: OperationObject): string[] {
  const { parameters = [], requestBody } = operation;
  const { inPath, inQuery, queryName, body, hasFile } = inputOf(operation);
  const args = inPath.map(pathArgument);
  if (hasFile) args.push("file: UploadFile");
  if (inQuery.length > 0) args.push(`query?: ${queryName}`);
  if (body !== undefined) args.push(`body${requestBody?.required ? "" : "?"}: ${typeOf(body)}`);
  args.push(`options?: ${hasProgress(operation) ? "ImportOptions" : optionsOf(parameters)}`);
  return args;
}

/** The order of the formatter: by the first character that differs. Case counts only where the letter is the same. */
function byName(one: string, other: string): number {
  const at = Array.from(one).findIndex((character, index) => character !== other[index]);
  if (at < 0) return -1;
  const [character = "", second = ""] = [one[at], other[at]];
  const [lower, lowerSecond] = [character.toLowerCase(), second.toLowerCase()];
  return lower === lowerSecond ? (character < second ? -1 : 1) : lower < lowerSecond ? -1 : 1;
}

function takesOf(has: { hasFile: boolean; hasQuery: boolean; hasBody: boolean }): string[] {
  if (has.hasFile) return ['takes: "file"'];
  if (has.hasQuery) return ['takes: "query"'];
  return has.hasBody ? ['takes: "body"'] : [];
}

/** The type that has an option for each header of the operation. */
function optionsOf(parameters: Parameter[]): string {
  const has = (header: string) => parameters.some(({ name }) => name === header);
  if (has("Idempotency-Key")) return "PostOptions";
  return has("If-Match") ? "ChangeOptions" : "CallOptions";
}

/** The response may be lines of progress before the result. */
function hasProgress({ responses }: OperationObject): boolean {
  return responses[200]?.content?.["application/x-ndjson"] !== undefined;
}

/** A stream has no method of its own: `client.events` reads it. */
function isStream({ responses }: OperationObject): boolean {
  return Object.values(responses).some(({ content }) => content?.["text/event-stream"] !== undefined);
}

/** Undefined for an operation that needs no key. */
function accessOf({ operationId, security }: OperationObject): string | undefined {
  if (security?.length === 0) return undefined;
  const access = security?.[0]?.bearerAuth?.[0];
  if (access === undefined) throw new Error(`${operationId} names no access in its security requirement`);
  return access;
}

function declareQuery(name: string, operation: ExampleOperation, parameters: Parameter[]): string {
  const members = parameters.map(({ name, description, schema }) => [
    name,
    { ...schema, ...(description && { description }) },
  ]);
  const schema: Schema = {
    type: "object",
    description: `The query of \`${operation.operationId}\`.`,
    properties: Object.fromEntries(members),
  };
  const isList = parameters.some((each) => each.name === "limit");
  const example = isList
    ? { limit: 100 }
    : Object.fromEntries(parameters.map((each) => [each.name, exampleOf(each)]));
  return declareShape(name, schema, exampleQuery(name, operation, example));
}

/** Of a parameter with JSON, the value. */
function exampleOf({ example, schema }: Parameter): unknown {
  return schema.contentSchema === undefined ? example : JSON.parse(String(example));
}

/** The client relies on paths that hold nothing but identifiers, or the name of a file. */
function pathArgument({ name, schema }: Parameter): string {
  if (typeOf(schema) !== "Int64" && schema.$ref === undefined) throw new Error(`${name} is no int64`);
  return `${name}: ${typeOf(schema)}`;
}

function exampleId({ schema, example }: Parameter): string {
  return schema.$ref === undefined ? "1" : quote(String(example));
}

function contentOf({ responses }: OperationObject): Content["content"] {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  return success?.content;
}

function resultOf(operation: OperationObject): Schema | undefined {
  const content = contentOf(operation);
  return (content?.["text/csv"] ?? content?.["application/json"])?.schema;
}

/** The response is a file, whose name is in the path. */
function isFile(operation: OperationObject): boolean {
  return contentOf(operation)?.["text/csv"] !== undefined;
}

function documentation(operation: OperationObject): string {
  const { summary, description, deprecated } = operation;
  const access = accessOf(operation);
  const need = access === undefined ? "Needs no key." : `Needs access \`${access}\`.`;
  const sentences = [`${summary}.`, ...(description && !deprecated ? [description] : []), need];
  return deprecated ? `${sentences.join(" ")}\n@deprecated ${description}` : sentences.join(" ");
}

function tableRow(name: string, facts: string[]): string {
  const line = `  ${name}: { ${facts.join(", ")} },`;
  return line.length <= LINE_MAX
    ? line
    : `  ${name}: {\n${facts.map((fact) => `    ${fact},\n`).join("")}  },`;
}

function declareShape(name: string, schema: Schema, example: string): string {
  const declaration =
    schema.properties === undefined
      ? `${fit(`export type ${name} =`, typeOf(schema), "")};`
      : `export interface ${name} ${typeOf(schema)}`;
  return commentWithExample(schema.description ?? "", example) + declaration;
}

function declareMembers({ properties = {}, required = [] }: Schema, indent: string): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const type = typeOf(schema, indent);
    // Callers may pass on a value that may be undefined.
    const absent = isRequired || schema.properties !== undefined ? "" : " | undefined";
    const member = fit(`${indent}${name}${isRequired ? "" : "?"}:`, type + absent, indent);
    return `${comment(schema.description ?? "", indent)}${member};\n`;
  });
  return members.join("");
}

/** Breaks a union that is too long for one line. */
function fit(start: string, type: string, indent: string): string {
  const isShort = start.length + type.length + 2 <= LINE_MAX;
  return isShort || type.startsWith("{")
    ? `${start} ${type}`
    : [start, ...type.split(" | ")].join(`\n${indent}  | `);
}

function typeOf(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return typeName(refName(schema.$ref));
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join(" | ");
  if (schema.enum !== undefined) return schema.enum.map(quote).join(" | ");
  if (schema.contentSchema !== undefined) return typeOf(schema.contentSchema, indent);
  if (schema.items !== undefined) return `${typeOf(schema.items, indent)}[]`;
  if (schema.properties !== undefined) return `{\n${declareMembers(schema, `${indent}  `)}${indent}}`;
  if (schema.additionalProperties !== undefined)
    return `Record<string, ${typeOf(schema.additionalProperties, indent)}>`;
  const { type, format } = schema;
  if (type === "integer") return format === "int64" ? "Int64" : "number";
  if (type === "string" || type === "number" || type === "boolean" || type === "null") return type;
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}

/** Lists of values, for menus and checks. */
function declareValues(schemas: Schemas): string {
  const lists = Object.entries(schemas).flatMap(([name, { enum: values }]) =>
    values === undefined ? [] : [`  ${name}: [${values.map(quote).join(", ")}],`],
  );
  const head = commentWithExample("The values of every named list.", OWN_EXAMPLES.VALUES);
  return `${head}export const VALUES = {\n${lists.join("\n")}\n} as const;\n`;
}

function declareTransitions(schemas: Schemas): string {
  const statuses = Object.entries(schemas).flatMap(([name, { "x-transitions": table }]) =>
    table === undefined ? [] : [{ name, table }],
  );
  const types = statuses.map(
    ({ name }) => `  readonly ${name}: Readonly<Record<${name}, readonly ${name}[]>>;`,
  );
  const rows = statuses.map(({ name, table }) => {
    const moves = Object.entries(table).map(([from, to]) => `    ${from}: [${to.map(quote).join(", ")}],`);
    return `  ${name}: {\n${moves.join("\n")}\n  },`;
  });
  const head = commentWithExample("The statuses that may follow each status.", OWN_EXAMPLES.TRANSITIONS);
  return `${head}export const TRANSITIONS: {\n${types.join("\n")}\n} = {\n${rows.join("\n")}\n};\n`;
}

function declarePlans({ Plan }: Schemas): string {
  const rows = Object.entries(Plan?.["x-limits"] ?? {}).map(([plan, limits]) => {
    const members = Object.entries(limits).map(([name, count]) => `${name}: ${count}`);
    return `  ${plan}: { ${members.join(", ")} },`;
  });
  const type = "Readonly<Record<Plan, { readonly perMinute: number; readonly perDay: number }>>";
  const head = commentWithExample("The requests that each plan allows.", OWN_EXAMPLES.PLANS);
  return `${head}export const PLANS: ${type} = {\n${rows.join("\n")}\n};\n`;
}

/** `Error` is a global of the language. */
function typeName(name: string): string {
  return name === "Error" ? "ErrorBody" : name;
}

function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
