// How many photos, webhooks and web pages of a key there may be. Apart from their types, because messages of errors quote them.

export const PHOTOS_PER_PET_MAX = 12;
export const WEBHOOKS_PER_KEY_MAX = 10;
export const WEBHOOKS_MAX = 100;
export const ALLOWED_ORIGINS_MAX = 20;
