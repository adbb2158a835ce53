// One numbered change of the schema, with its statements for both engines.

export interface Migration {
  version: number;
  name: string;
  sqlite: string[];
  postgres: string[];
}
