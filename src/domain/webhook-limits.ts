// How many webhooks there may be, and how long their texts may be. Quoted in error messages.

export const WEBHOOKS_PER_KEY_MAX = 10;
export const WEBHOOKS_MAX = 100;
export const WEBHOOK_URL_MAX = 2_000;
export const WEBHOOK_DESCRIPTION_MAX = 255;
