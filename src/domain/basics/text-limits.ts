// How long names and texts may be, in code points. Apart from their types, because the console bundles this file.

export const PET_NAME_MAX = 255;
export const CATEGORY_NAME_MAX = 100;
export const KEY_NAME_MAX = 100;
export const PERSON_NAME_MAX = 100;
/** The label of a person's device. */
export const DEVICE_NAME_MAX = 60;
/** The reference of an order. */
export const REFERENCE_MAX = 255;

/** The members of a shelter. */
export const SHELTER_NAME_MAX = 100;
export const ABOUT_MAX = 2_000;
export const EMAIL_MAX = 254;
export const PHONE_MAX = 40;
export const ADDRESS_LINE_MAX = 100;
export const OPENING_HOURS_MAX = 500;

/** The members of the public site. */
export const SITE_TITLE_MAX = 100;
export const SITE_INTRODUCTION_MAX = 1_000;
