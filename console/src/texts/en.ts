// The English texts of the console. Those of other languages have the same shape.

import { say } from "./say.ts";

/** One section per view or part; the names say where a text is shown. */
export const EN = {
  frame: {
    skip: "Skip to the content",
    places: "Places",
    signOut: "Sign out",
    reference: "API reference",
    language: "Language",
    languageFailed: "The texts of this language could not be loaded. Try again shortly.",
  },
  placeNames: {
    animals: "Animals",
    orders: "Orders",
    categories: "Categories",
    webhooks: "Webhooks",
    keys: "Keys",
    audit: "Audit log",
    usage: "Usage",
  },
  /** `sold` is the word of the interface; people say adopted. */
  petStatus: { available: "Available", pending: "Pending", sold: "Adopted" },
  orderStatus: {
    placed: "Placed",
    approved: "Approved",
    delivered: "Delivered",
    cancelled: "Cancelled",
    expired: "Expired",
    returned: "Returned",
  },
  common: {
    loading: "Loading…",
    tryAgain: "Try again",
    actions: "Actions",
    close: "Close",
    dismiss: "Dismiss",
    undo: "Undo",
    cancel: "Cancel",
    oneMoment: "One moment…",
    none: "none",
  },
  form: {
    missing: "Fill in this field",
    mayBeSent: "The request was already sent and may have succeeded. Check before you retry.",
    typeToConfirm: (phrase: string) => `Type ${phrase} to confirm`,
    notConfirmed: (phrase: string) => `Nothing was changed. Type ${phrase} exactly to confirm.`,
  },
  list: {
    pages: "Pages",
    previous: "← Previous",
    firstPage: "← First page",
    next: "Next →",
    page: (number: string) => `Page ${number}`,
    asOf: (when: string) =>
      say`This list is as of ${when}. It is loaded again as soon as the service answers.`,
  },
  waiting: {
    limit: "The limit of this key is reached.",
    dailyLimit: "This key has used all its requests for today.",
    ban: "This key is temporarily banned because it kept sending requests after reaching its limit.",
    signIns: "Too many sign-in attempts came from your network.",
    asked: "The service asked the console to wait.",
    unavailable: "The service cannot do this at the moment.",
    retryingIn: "Retrying in",
    stop: "Stop waiting",
    stoppedNotDone: "Stopped waiting. The request was not carried out.",
    stoppedMaybeDone: "Stopped waiting. The request may have succeeded. Check before you retry.",
  },
  rate: {
    label: "Rate limit:",
    of: (limit: string) => `of ${limit}`,
    left: "left",
  },
  bar: {
    used: (used: string, limit: string) => `${used} of ${limit} used`,
    meter: (label: string) => `${label}: requests used`,
    left: (remaining: string) => `${remaining} left`,
    fullIn: (duration: string) => `, full again in ${duration}`,
  },
  time: {
    never: "never",
    justNow: "just now",
    withinAMinute: "within a minute",
  },
  deletions: {
    pending: (label: string) => say`${label} is being deleted.`,
    now: "Delete now",
    failed: (label: string, reason: string) => say`${label} was not deleted. ${reason}`,
  },
  session: {
    keyEnded: "This key does not work any more. Sign in with another.",
    signedOut: "You are signed out.",
    accessChanged: (access: string) => `The access of this key was changed to “${access}”.`,
  },
  failures: {
    petHasOpenOrder: "It has an open order: move or cancel that order first.",
    petNotAvailable: "The animal is not available any more.",
    insufficientAccess: "This key does not have the required access. Sign in with a key that has it.",
    invalidCursor: "This page of the list no longer exists. Go back to the first page.",
    internalError: "Something broke inside the service. If it happens again, tell the operator.",
    unavailable: "The service cannot do this at the moment. Try again shortly.",
    unexpectedAnswer:
      "The response did not come from the service. Try again shortly; if it happens again, tell the operator.",
    noAnswer: "The service does not answer. Is it running, and are you online?",
    badValue: "A number or a date is not valid. Correct it and try again.",
    brokenPage: "Something went wrong on this page. Reload it and try again.",
  },
  signIn: {},
  animals: {},
  animal: {},
  bulk: {},
  orders: {},
  categories: {},
  webhooks: {},
  keys: {},
  audit: {},
  usage: {},
};

export type Texts = typeof EN;
