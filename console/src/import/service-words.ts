// Sentences of the service about a file: in the words of the page instead of members and settings, and in its language.

import { type Language, language } from "../shared/texts/language.ts";

/** Sentences that are not listed stay as they are. */
const WORDS: Record<Language, Array<[sentence: RegExp, words: string]>> = {
  en: [
    [/^\S+ must be /, "Must be "],
    [/^the /, "The "],
    [/ Set dateOrder \(.*/, " Choose the order of dates below."],
    [/ Check dateOrder \(.*/, " Check the order of dates below."],
    [/ Set currency \(.*/, " Choose the currency below."],
    [/^a category is required: .*/, "The animal has no category. Choose one below."],
    [/ Correct the name, or set createCategories .*/, " Correct the name, or create categories below."],
    [/^no shelter has the (?:id|name) (.*?)(?:: give .*)?$/, "There is no shelter $1."],
    [/^several shelters .*/, "Several shelters have this name. Use the column with their numbers."],
  ],
  de: [
    [/^\S+ must be one of /, "Erlaubt sind: "],
    [/^\S+ must be (\d+) to (\d+) characters after .* control characters/, "Erlaubt sind $1 bis $2 Zeichen"],
    [
      /^\S+ must be a list of at most (\d+), .* control characters/,
      "Erlaubt sind höchstens $1 kurze Einträge",
    ],
    [/^\S+ must be text of at most (\d+) .* line feeds/, "Erlaubt sind höchstens $1 Zeichen"],
    [/^\S+ must be a date, .*-31/, "Das ist kein gültiges Datum"],
    [/^\S+ must be true or false(?:, or yes or no)?/, "Erlaubt sind: ja, nein"],
    [/^\S+ must be an integer (?:from|between) (\S+) (?:to|and) /, "Erlaubt ist eine ganze Zahl, $1 bis "],
    [/^\S+ must be a currency code .* EUR/, "Erlaubt ist der Code einer Währung, etwa EUR"],
    [/^\S+ must be an https address in ASCII/, "Erlaubt ist eine Adresse, die mit https:// beginnt"],
    [/^fee must be a decimal, .* currency/, "Erlaubt ist ein Betrag wie 150 oder 150,00 €"],
    [/^age must be a number .* weeks/, "Erlaubt ist ein Alter wie 3 Jahre 2 Monate"],
    [
      /^the column's dates .* Set dateOrder .*/,
      "Tag und Monat sind nicht eindeutig: Wählen Sie unten die Reihenfolge.",
    ],
    [/^the date is not valid with .*/, "Das Datum passt nicht zur Reihenfolge: Prüfen Sie sie unten."],
    [
      /^the three digits after .*/,
      "Die drei Stellen können Tausender oder Nachkommastellen sein: Schreiben Sie 1250 oder 1250,00.",
    ],
    [/^the fee has currencies that differ: (.*)/, "Der Betrag hat verschiedene Währungen: $1"],
    [/^the fee has no currency. Set currency .*/, "Die Währung fehlt: Wählen Sie sie unten."],
    [/^name is required/, "Der Name fehlt"],
    [/^a category is required: .*/, "Die Kategorie fehlt: Wählen Sie unten eine."],
    [
      /^there is no category (.*) Correct the name, .*/,
      "Es gibt keine Kategorie $1 Sie können sie unten anlegen.",
    ],
    [/^no shelter has the (?:id|name) (.*?)(?:: give .*)?$/, "Es gibt kein Tierheim $1."],
    [/^several shelters .*/, "Mehrere Tierheime heißen so: Verwenden Sie die Spalte mit ihren Nummern."],
    [/^the API key belongs to shelter .*/, "Das Tier soll zu einem anderen Tierheim gehören."],
    [
      /^the animal with this externalId belongs to another shelter.*/,
      "Das Tier mit dieser Nummer gehört zu einem anderen Tierheim.",
    ],
    [/^externalId .* is also on line (\d+)/, "Dieselbe Nummer steht in Zeile $1"],
    [
      /^the row has (\d+) fields?, the first line has (\d+)/,
      "Anzahl der Felder in der Zeile: $1, in der ersten Zeile: $2",
    ],
    [/^the row is not (\S+)/, "Die Zeile ist nicht in $1 gespeichert"],
    [/^text follows a closing quote/, "Nach einem schließenden Anführungszeichen folgt Text"],
    [/\(the row ends on line (\d+)\)/, "(der Eintrag endet in Zeile $1)"],
    [/^The file is empty.*/, "Die Datei ist leer: Sie braucht eine erste Zeile mit Überschriften."],
    [
      /^The row on line (\d+) does not end.*/,
      "Der Eintrag in Zeile $1 endet nicht: Ein Anführungszeichen ist offen.",
    ],
    [/^text$/, "Text"],
    [/^list, separated by (\S+)(.*)/, "Liste, getrennt durch $1$2"],
    [/^yes or no$/, "ja oder nein"],
    [/^yes, no or unknown$/, "ja, nein oder unbekannt"],
    [/^yes means no, .*/, "ja bedeutet nein"],
    [/^whole number$/, "ganze Zahl"],
    [/^decimal$/, "Betrag"],
    [/^age, as .*/, "Alter, als geschätzter Tag der Geburt"],
    [/^date, day first$/, "Datum, Tag zuerst"],
    [/^date, month first$/, "Datum, Monat zuerst"],
    [/^date, year first$/, "Datum, Jahr zuerst"],
    [/^date, .* not clear$/, "Datum, Tag und Monat nicht eindeutig"],
    [/^date, some .*/, "Datum, teils Tag, teils Monat zuerst"],
    [/^word for .*/, "Wort"],
    [/^ignored(?:; perhaps (\S+))?$/, "nicht gelesen"],
  ],
};

export function translate(sentence: string): string {
  return WORDS[language.value].reduce((text, [pattern, words]) => text.replace(pattern, words), sentence);
}
