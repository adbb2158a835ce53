// Node's modules for HTTP. An import would read all their exports, one of which loads Node's fetch: 10 % of a start.

export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
