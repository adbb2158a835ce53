// All pages but the list of animals, its export and its samples. They are one file for the browser: a file for each would split what they share
// into many small files, and the page would start with a request for each of those.

export { exportAnimals } from "./animals/list/export-animals.ts";
export { loadSamples } from "./animals/list/samples.ts";
export { Animal } from "./animals/page/animal.tsx";
export { Audit } from "./audit/audit.tsx";
export { Categories } from "./categories/categories.tsx";
export { FindResults } from "./find/find-results.tsx";
export { Import } from "./import/import.tsx";
export { Key } from "./keys/key.tsx";
export { Keys } from "./keys/keys.tsx";
export { Orders } from "./orders/orders.tsx";
export { Account } from "./people/account.tsx";
export { NameYourself } from "./people/name-yourself.tsx";
export { People } from "./people/people.tsx";
export { Person } from "./people/person.tsx";
export { Shelter } from "./shelters/shelter.tsx";
export { Shelters } from "./shelters/shelters.tsx";
export { Site } from "./site/site.tsx";
export { createDoneReader } from "./today/read-done.ts";
export { UsageView } from "./usage/usage.tsx";
export { Webhook } from "./webhooks/webhook.tsx";
export { Webhooks } from "./webhooks/webhooks.tsx";
