// All pages but the list of animals. They are one file for the browser: a file for each would split what they share
// into many small files, and the page would start with a request for each of those.

export { Animal } from "./animal.tsx";
export { Audit } from "./audit.tsx";
export { Categories } from "./categories.tsx";
export { Key } from "./key.tsx";
export { Keys } from "./keys.tsx";
export { Orders } from "./orders.tsx";
export { UsageView } from "./usage.tsx";
export { Webhooks } from "./webhooks.tsx";
