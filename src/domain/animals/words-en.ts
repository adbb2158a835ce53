// English words for profiles: the public pages, the widget and the console show the same ones.

import type { Species } from "./profile.ts";
import type { ProfileWords } from "./words.ts";

export const WORDS_EN: ProfileWords = {
  labels: {
    species: "Species",
    breeds: "Breed",
    sex: "Sex",
    age: "Age",
    size: "Size",
    coat: "Coat",
    goodWith: "Good with",
    goodWithChildren: "Good with children",
    goodWithDogs: "Good with dogs",
    goodWithCats: "Good with cats",
    neutered: "Neutered",
    vaccinated: "Vaccinated",
    houseTrained: "House-trained",
    specialNeeds: "Special needs",
  },
  species: {
    dog: "Dog",
    cat: "Cat",
    rabbit: "Rabbit",
    bird: "Bird",
    horse: "Horse",
    reptile: "Reptile",
    small_animal: "Small animal",
    farm_animal: "Farm animal",
    other: "Other animal",
  },
  sex: { male: "Male", female: "Female", unknown: "Unknown" },
  size: { small: "Small", medium: "Medium", large: "Large", extra_large: "Extra large" },
  coat: {
    hairless: "Hairless",
    short: "Short",
    medium: "Medium",
    long: "Long",
    wire: "Wire",
    curly: "Curly",
  },
  answers: { yes: "Yes", no: "No", unknown: "Unknown" },
  mixed: "mixed breed",
  mix: " mix",
  newborn: "newborn",
  ages: { week: ["week", "weeks"], month: ["month", "months"], year: ["year", "years"] },
  about: "about",
  numbered: (id) => `No. ${id}`,
};

/** Also the names of the categories that an import creates. */
export const SPECIES_GROUPS_EN: Record<Species, string> = {
  dog: "Dogs",
  cat: "Cats",
  rabbit: "Rabbits",
  bird: "Birds",
  horse: "Horses",
  reptile: "Reptiles",
  small_animal: "Small animals",
  farm_animal: "Farm animals",
  other: "Other animals",
};
