// The German texts of the console. Notes for translators: address people formally, and name animals as shelters do.

import type { Texts } from "./en.ts";
import { say } from "./say.ts";

export const DE: Texts = {
  frame: {
    skip: "Zum Inhalt springen",
    places: "Bereiche",
    signOut: "Abmelden",
    reference: "API-Referenz",
    language: "Sprache",
    languageFailed:
      "Die Texte dieser Sprache konnten nicht geladen werden. Versuchen Sie es gleich noch einmal.",
  },
  placeNames: {
    animals: "Tiere",
    orders: "Vermittlungen",
    categories: "Kategorien",
    webhooks: "Webhooks",
    keys: "Schlüssel",
    audit: "Protokoll",
    usage: "Nutzung",
  },
  petStatus: { available: "Verfügbar", pending: "Reserviert", sold: "Vermittelt" },
  orderStatus: {
    placed: "Angefragt",
    approved: "Genehmigt",
    delivered: "Übergeben",
    cancelled: "Storniert",
    expired: "Abgelaufen",
    returned: "Zurückgekehrt",
  },
  species: {
    dog: "Hund",
    cat: "Katze",
    rabbit: "Kaninchen",
    bird: "Vogel",
    horse: "Pferd",
    reptile: "Reptil",
    small_animal: "Kleintier",
    farm_animal: "Nutztier",
    other: "Andere",
  },
  ageGroup: { baby: "Jungtier", young: "Jung", adult: "Erwachsen", senior: "Senior" },
  sex: { male: "Männlich", female: "Weiblich", unknown: "Unbekannt" },
  size: { small: "Klein", medium: "Mittel", large: "Groß", extra_large: "Sehr groß" },
  coat: {
    hairless: "Haarlos",
    short: "Kurz",
    medium: "Mittellang",
    long: "Lang",
    wire: "Drahtig",
    curly: "Lockig",
  },
  yesNo: { yes: "Ja", no: "Nein", unknown: "Unbekannt" },
  common: {
    loading: "Wird geladen …",
    tryAgain: "Erneut versuchen",
    actions: "Aktionen",
    close: "Schließen",
    dismiss: "Ausblenden",
    undo: "Rückgängig",
    cancel: "Abbrechen",
    oneMoment: "Einen Moment …",
    none: "keine",
  },
  form: {
    missing: "Bitte ausfüllen",
    mayBeSent:
      "Die Anfrage wurde schon gesendet und war vielleicht erfolgreich. Prüfen Sie das, bevor Sie sie wiederholen.",
    typeToConfirm: (phrase) => `Zum Bestätigen ${phrase} eingeben`,
    notConfirmed: (phrase) => `Es wurde nichts geändert. Geben Sie zum Bestätigen genau ${phrase} ein.`,
  },
  list: {
    pages: "Seiten",
    previous: "← Zurück",
    firstPage: "← Erste Seite",
    next: "Weiter →",
    page: (number) => `Seite ${number}`,
    asOf: (when) => say`Stand dieser Liste: ${when}. Sie wird neu geladen, sobald der Dienst antwortet.`,
  },
  waiting: {
    limit: "Das Limit dieses Schlüssels ist erreicht.",
    dailyLimit: "Dieser Schlüssel hat alle Anfragen für heute verbraucht.",
    ban: "Dieser Schlüssel ist vorübergehend gesperrt, weil er nach Erreichen seines Limits weiter Anfragen gesendet hat.",
    signIns: "Aus Ihrem Netz kamen zu viele Anmeldeversuche.",
    asked: "Der Dienst hat die Konsole gebeten zu warten.",
    unavailable: "Der Dienst kann das gerade nicht ausführen.",
    retryingIn: "Neuer Versuch in",
    stop: "Nicht mehr warten",
    stoppedNotDone: "Das Warten wurde beendet. Die Anfrage wurde nicht ausgeführt.",
    stoppedMaybeDone:
      "Das Warten wurde beendet. Die Anfrage war vielleicht erfolgreich. Prüfen Sie das, bevor Sie sie wiederholen.",
  },
  rate: {
    label: "Limit:",
    of: (limit) => `von ${limit}`,
    left: "übrig",
  },
  bar: {
    used: (used, limit) => `${used} von ${limit} verbraucht`,
    meter: (label) => `${label}: verbrauchte Anfragen`,
    left: (remaining) => `${remaining} übrig`,
    fullIn: (duration) => `, wieder voll in ${duration}`,
  },
  time: {
    never: "nie",
    justNow: "gerade eben",
    withinAMinute: "in weniger als einer Minute",
  },
  deletions: {
    pending: (label) => say`${label} wird gelöscht.`,
    now: "Jetzt löschen",
    failed: (label, reason) => say`${label} wurde nicht gelöscht. ${reason}`,
  },
  session: {
    keyEnded: "Dieser Schlüssel gilt nicht mehr. Melden Sie sich mit einem anderen an.",
    signedOut: "Sie sind abgemeldet.",
    accessChanged: (access) => `Die Berechtigung dieses Schlüssels wurde auf „${access}“ geändert.`,
  },
  failures: {
    petHasOpenOrder:
      "Für das Tier läuft eine Vermittlung: Schließen Sie sie zuerst ab oder stornieren Sie sie.",
    petNotAvailable: "Das Tier ist nicht mehr verfügbar.",
    insufficientAccess:
      "Dieser Schlüssel hat nicht die nötige Berechtigung. Melden Sie sich mit einem an, der sie hat.",
    invalidCursor: "Diese Seite der Liste gibt es nicht mehr. Gehen Sie zur ersten Seite.",
    internalError:
      "Im Dienst ist etwas schiefgegangen. Wenn es wieder vorkommt, sagen Sie dem Betreiber Bescheid.",
    unavailable: "Der Dienst kann das gerade nicht ausführen. Versuchen Sie es gleich noch einmal.",
    unexpectedAnswer:
      "Die Antwort kam nicht vom Dienst. Versuchen Sie es gleich noch einmal; wenn es wieder vorkommt, sagen Sie dem Betreiber Bescheid.",
    noAnswer: "Der Dienst antwortet nicht. Läuft er, und sind Sie online?",
    badValue: "Eine Zahl oder ein Datum ist nicht gültig. Korrigieren Sie die Angabe.",
    brokenPage:
      "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu und versuchen Sie es noch einmal.",
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
