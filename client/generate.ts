// Makes src/generated.ts out of the OpenAPI document: its shapes as types, its operations as methods and as a table.

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
}

interface Content {
  content?: { "application/json": { schema: Schema } };
}

interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema: Schema;
}

interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
}

type Schemas = OpenApiDocument["components"]["schemas"];

const HEAD = `// Made from docs/openapi.json by client/generate.ts; npm run docs writes it anew.

import type { Int64 } from "./int64.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions, PostOptions } from "./options.ts";
import type { Pages } from "./pages.ts";
`;
/** The formatter's. */
const LINE_MAX = 110;

export function renderClient({ paths, components: { schemas } }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      describeOperation(method.toUpperCase(), path, operation, schemas),
    ),
  );
  const shapes = Object.entries(schemas).map(([name, schema]) => declareShape(typeName(name), schema));
  const queries = operations.flatMap(({ query }) => (query === undefined ? [] : [query]));
  return [
    HEAD,
    ...[...shapes, ...queries].map((shape) => `${shape}\n`),
    `/** Every code that the service answers. */\nexport type ErrorCode = ErrorBody["code"];\n`,
    declareValues(schemas),
    `/** A method for every operation of the service. */\nexport interface Operations {\n${operations.map(({ signature }) => signature).join("\n")}\n}\n`,
    `/** What the methods do, for programs that ask. */\nexport const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = {\n${operations.map(({ row }) => row).join("\n")}\n};\n`,
  ].join("\n");
}

function describeOperation(method: string, path: string, operation: OperationObject, schemas: Schemas) {
  const { operationId, parameters = [], requestBody, description } = operation;
  const access = /Needs access `(\w+)`/.exec(description)?.[1];
  if (access === undefined) throw new Error(`${operationId} does not say which access it needs`);
  const hasIdempotencyKey = parameters.some(({ name }) => name === "Idempotency-Key");
  if ((method === "POST") !== hasIdempotencyKey)
    throw new Error(`${operationId}: POSTs, and only they, are repeated by Idempotency-Key`);

  const result = resultOf(operation);
  const item = result?.$ref === undefined ? undefined : schemas[refName(result.$ref)]?.items;
  const isPaged = item !== undefined && parameters.some(({ name }) => name === "cursor");
  const inQuery = parameters.filter((each) => each.in === "query");
  const queryName = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
  const body = requestBody?.content?.["application/json"].schema;

  const args = parameters.filter((each) => each.in === "path").map(pathArgument);
  if (inQuery.length > 0) args.push(`query?: ${queryName}`);
  if (body !== undefined) args.push(`body${requestBody?.required ? "" : "?"}: ${typeOf(body)}`);
  args.push(`options?: ${method === "POST" ? "PostOptions" : "CallOptions"}`);
  const returned = isPaged
    ? `Pages<${typeOf(item)}>`
    : `Promise<${result === undefined ? "void" : typeOf(result)}>`;

  const facts = [
    `method: "${method}"`,
    `path: "${path}"`,
    `access: "${access}"`,
    ...(inQuery.length > 0 ? ['takes: "query"'] : body === undefined ? [] : ['takes: "body"']),
    ...(isPaged ? ["isPaged: true"] : []),
    ...(operation.deprecated ? [`deprecated: ${JSON.stringify(withoutAccess(description))}`] : []),
  ];
  const query = Object.fromEntries(
    inQuery.map(({ name, description, schema }) => [
      name,
      { ...schema, ...(description && { description }) },
    ]),
  );
  return {
    query:
      inQuery.length === 0
        ? undefined
        : declareShape(queryName, {
            type: "object",
            description: `What \`${operationId}\` can be asked for.`,
            properties: query,
          }),
    signature: `${comment(documentation(operation), "  ")}  ${operationId}(${args.join(", ")}): ${returned};`,
    row: tableRow(operationId, facts),
  };
}

/** Identifiers are all that paths have; the client relies on it. */
function pathArgument({ name, schema }: Parameter): string {
  if (typeOf(schema) !== "Int64") throw new Error(`${name} is no int64`);
  return `${name}: Int64`;
}

function resultOf({ responses }: OperationObject): Schema | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  return success?.content?.["application/json"].schema;
}

function documentation({ summary, description, deprecated }: OperationObject): string {
  return deprecated ? `${summary}.\n@deprecated ${description}` : `${summary}. ${description}`;
}

function withoutAccess(description: string): string {
  return description.replace(/ ?Needs access .*$/, "");
}

function tableRow(name: string, facts: string[]): string {
  const line = `  ${name}: { ${facts.join(", ")} },`;
  return line.length <= LINE_MAX
    ? line
    : `  ${name}: {\n${facts.map((fact) => `    ${fact},\n`).join("")}  },`;
}

function declareShape(name: string, schema: Schema): string {
  const declaration =
    schema.properties === undefined
      ? `${fit(`export type ${name} =`, typeOf(schema), "")};`
      : `export interface ${name} ${typeOf(schema)}`;
  return comment(schema.description ?? "", "") + declaration;
}

function declareMembers({ properties = {}, required = [] }: Schema, indent: string): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const type = typeOf(schema, indent);
    // So that callers may pass on what they may not have.
    const absent = isRequired || schema.properties !== undefined ? "" : " | undefined";
    const member = fit(`${indent}${name}${isRequired ? "" : "?"}:`, type + absent, indent);
    return `${comment(schema.description ?? "", indent)}${member};\n`;
  });
  return members.join("");
}

/** A union that is too long for its line gets a line for each of its parts. */
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
  if (schema.items !== undefined) return `${typeOf(schema.items, indent)}[]`;
  if (schema.properties !== undefined) return `{\n${declareMembers(schema, `${indent}  `)}${indent}}`;
  const { type, format } = schema;
  if (type === "integer") return format === "int64" ? "Int64" : "number";
  if (type === "string" || type === "number" || type === "boolean" || type === "null") return type;
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}

/** The lists of values that have a name, for menus and checks. */
function declareValues(schemas: Schemas): string {
  const lists = Object.entries(schemas).flatMap(([name, { enum: values }]) =>
    values === undefined ? [] : [`  ${name}: [${values.map(quote).join(", ")}],`],
  );
  return `/** The values of every named list. */\nexport const VALUES = {\n${lists.join("\n")}\n} as const;\n`;
}

/** Error is a name that the language has taken. */
function typeName(name: string): string {
  return name === "Error" ? "ErrorBody" : name;
}

function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function comment(text: string, indent: string): string {
  if (text === "") return "";
  const [line = "", ...more] = text.split("\n").flatMap((each) => wrap(each, LINE_MAX - indent.length));
  if (more.length === 0) return `${indent}/** ${line} */\n`;
  return `${indent}/**\n${[line, ...more].map((each) => `${indent} * ${each}\n`).join("")}${indent} */\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
