// German words for profiles: the public pages, the widget and the console show the same ones.

import type { ProfileWords } from "./words.ts";

export const WORDS_DE: ProfileWords = {
  labels: {
    species: "Tierart",
    breeds: "Rasse",
    sex: "Geschlecht",
    age: "Alter",
    size: "Größe",
    coat: "Fell",
    goodWith: "Verträgt sich mit",
    goodWithChildren: "Verträgt sich mit Kindern",
    goodWithDogs: "Verträgt sich mit Hunden",
    goodWithCats: "Verträgt sich mit Katzen",
    neutered: "Kastriert",
    vaccinated: "Geimpft",
    houseTrained: "Stubenrein",
    specialNeeds: "Besondere Bedürfnisse",
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
    other: "Anderes Tier",
  },
  sex: { male: "Männlich", female: "Weiblich", unknown: "Unbekannt" },
  size: { small: "Klein", medium: "Mittelgroß", large: "Groß", extra_large: "Sehr groß" },
  coat: {
    hairless: "Haarlos",
    short: "Kurz",
    medium: "Mittellang",
    long: "Lang",
    wire: "Drahtig",
    curly: "Lockig",
  },
  answers: { yes: "Ja", no: "Nein", unknown: "Unbekannt" },
  mixed: "Mischling",
  mix: "-Mischling",
  newborn: "neugeboren",
  ages: { week: ["Woche", "Wochen"], month: ["Monat", "Monate"], year: ["Jahr", "Jahre"] },
  about: "etwa",
};
