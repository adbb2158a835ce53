// Schemas of exports.

import { AGGREGATORS, type Aggregator } from "../../domain/animals/aggregator.ts";
import { Type } from "./type.ts";

const FILES = AGGREGATORS.map((each) => `${each}.csv` as const);

const ExportName = Type.Enum(FILES, {
  title: "ExportName",
  description: "The name of a file for an aggregator.",
});

export const ExportPath = Type.Object({
  file: Type.Annotated(ExportName, { description: "The file.", examples: ["petfinder.csv"] }),
});

export const ExportQuery = Type.Object({
  skip: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Leaves out animals that the file cannot express, instead of refusing it.",
      examples: [true],
    }),
  ),
});

const EXAMPLE = `ID,Internal,AnimalName,PrimaryBreed,SecondaryBreed,Sex,Size,Age,Desc,Type,Status,Shots,Altered,NoDogs,NoCats,NoKids,Housetrained,Declawed,specialNeeds,Mix,photo1,photo2,photo3,photo4,photo5,photo6,arrival_date,birth_date,primaryColor,secondaryColor,tertiaryColor,coat_length,adoption_fee,display_adoption_fee,adoption_fee_waived,special_needs_notes,no_other,no_other_note,tags\r
1,A-2041,Rex II,Labrador Retriever,,M,L,Adult,"Calm and curious.
Likes long walks.",Dog,A,,1,,,,,,,1,,,,,,,,05/04/2023,,,,,250.00,1,,,,,calm\r
`;

export const ExportFile = Type.String({
  description: "CSV in UTF-8, with CRLF at the end of each row.",
  examples: [EXAMPLE],
});

export function aggregatorOf(file: (typeof FILES)[number]): Aggregator {
  return AGGREGATORS[FILES.indexOf(file)] as Aggregator;
}

export const EXPORT_COMPONENTS = [ExportName];
