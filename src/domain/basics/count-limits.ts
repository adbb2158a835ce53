// How many photos and webhooks there may be. Apart from their types, because messages of errors quote them.

export const PHOTOS_PER_PET_MAX = 12;
export const WEBHOOKS_PER_KEY_MAX = 10;
export const WEBHOOKS_MAX = 100;
