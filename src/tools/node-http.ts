// Node's modules for HTTP. An import would read all their exports, and one of them loads Node's fetch, which takes 10 % of a start.

export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
