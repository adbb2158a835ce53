// Made-up animals that use every column and every word of the files for aggregators.

import type { PetStatus } from "../../../src/domain/animals/pet.ts";
import type { Profile } from "../../../src/domain/animals/profile.ts";
import type { Database } from "../../../src/storage/database.ts";
import { addPets } from "../../../src/storage/stores/animals/new-pets.ts";
import { createPhotoStore } from "../../../src/storage/stores/animals/photos.ts";

/** The ages of the animals are at the bounds of their groups on this day. */
export const EXPORT_MS = Date.UTC(2026, 10, 18, 12);

const EVERY_ANSWER = (answer: "yes" | "no" | "unknown"): Profile => ({
  goodWith: { children: answer, dogs: answer, cats: answer },
  neutered: answer,
  vaccinated: answer,
  houseTrained: answer,
  specialNeeds: answer,
});

type Animal = [name: string, status: PetStatus, profile: Profile];

/** Every file can express these. The first has 7 photos, the second has one of a small image. */
export const GOOD_ANIMALS: Animal[] = [
  [
    'Jürgen "Jupp" Müller, der Dritte',
    "available",
    {
      ...EVERY_ANSWER("yes"),
      species: "dog",
      breeds: ["Beagle", "Dackel, rauhaarig"],
      mixed: true,
      sex: "male",
      bornOn: "2026-05-19",
      size: "small",
      colors: ["Schwarz", "Weiß", "Braun"],
      coat: "hairless",
      description: 'Über "Jupp":\nmag Äpfel; Möhren, Käse\n\nund\tdich.',
      fee: { amount: 15_000, currency: "EUR" },
      arrivedOn: "2026-07-04",
      videoUrl: "https://www.youtube.com/watch?v=abc,def",
      externalId: "A-1, neu",
      tags: ["ruhig, lieb", "jung", 'sagt "wuff"'],
      custom: { chip: "276098106" },
    },
  ],
  [
    "Minka",
    "pending",
    {
      ...EVERY_ANSWER("no"),
      species: "cat",
      breeds: ["Domestic Short Hair"],
      mixed: false,
      sex: "female",
      bornOn: "2026-05-18",
      size: "medium",
      colors: ["Grey"],
      coat: "short",
      fee: { amount: 5_000, currency: "JPY" },
      videoUrl: "https://vimeo.example/youtube.com",
      externalId: "A-2",
      tags: ["calm"],
    },
  ],
  [
    "Hase",
    "available",
    {
      ...EVERY_ANSWER("unknown"),
      species: "rabbit",
      breeds: ["Dwarf"],
      sex: "male",
      bornOn: "2024-11-19",
      size: "large",
      colors: [],
      coat: "medium",
      fee: { amount: 12_345, currency: "KWD" },
      videoUrl: "https://youtu.be/abc",
      tags: [],
    },
  ],
  [
    "Polly",
    "available",
    {
      species: "bird",
      breeds: ["Parrot"],
      sex: "female",
      bornOn: "2024-11-18",
      size: "extra_large",
      coat: "long",
      mixed: false,
      goodWith: { children: "no", cats: "yes" },
      fee: { amount: 0, currency: "USD" },
      videoUrl: "https://notyoutube.com/abc",
    },
  ],
  [
    "Star",
    "available",
    {
      ...EVERY_ANSWER("no"),
      species: "horse",
      breeds: ["Pony"],
      sex: "male",
      bornOn: "2017-11-19",
      coat: "wire",
    },
  ],
  [
    "Schorsch",
    "pending",
    { species: "reptile", breeds: ["Gecko"], sex: "female", bornOn: "2017-11-18", coat: "curly" },
  ],
  [
    "Long",
    "available",
    {
      species: "small_animal",
      breeds: ["Hamster"],
      sex: "male",
      description: "ä".repeat(10_000),
    },
  ],
  [
    "=1+1",
    "available",
    { species: "farm_animal", breeds: ["-Goat"], sex: "female", description: "@SUM(A1)\n+1" },
  ],
  ["🐟\u2028".padEnd(51, "x"), "available", { species: "other", breeds: ["Fish"], sex: "male" }],
];

/** Ids follow the good ones, so the first has 10. The last is bad for RescueGroups only; the sold one is in no file. */
export const OTHER_ANIMALS: Animal[] = [
  ["No profile", "available", {}],
  ["No species", "available", { breeds: ["Mix"], sex: "male" }],
  ["No breed", "pending", { species: "dog", breeds: [], sex: "male" }],
  ["No sex", "available", { species: "dog", breeds: ["Mix"], sex: "unknown" }],
  ["Sold", "sold", {}],
  ["x".repeat(51), "available", { species: "dog", breeds: ["Mix"], sex: "female" }],
];

export async function addAnimals(db: Database, animals: Animal[]): Promise<void> {
  const pets = animals.map(([name, status, profile]) => ({ name, categoryId: 1n, status, profile }));
  await db.transaction((tx) => addPets(tx, pets, { atMs: 1 }), { inOrder: true });
}

/** Photos of a large image for animal 1, each with its own hash, and one of a small image for animal 2. */
export async function addPhotos(db: Database, bytes: Buffer): Promise<void> {
  const photos = createPhotoStore(db);
  const images = [..."1234567"].map((digit) => ({
    petId: 1n,
    hash: digit.repeat(64),
    widths: [2048, 1280, 640, 320],
  }));
  for (const { petId, hash, widths } of [...images, { petId: 2n, hash: "8".repeat(64), widths: [200] }]) {
    const variants = widths.map((width) => ({ width, bytes }));
    await photos.storeImage(petId, { hash, width: widths[0] as number, height: 10, variants }, 1);
    await photos.add(petId, { hash, alt: "" }, { atMs: 1 });
  }
}
