// Opens the file of an import by the settings: its encoding, its columns, and a text that identifies how it is read.

import type { ImportRequest, ImportSettings } from "../../domain/animals/animal-import.ts";
import { showText } from "../../tools/shown-text.ts";
import { chooseOrder } from "../formats/cell-values.ts";
import { DELIMITERS } from "../formats/csv-text.ts";
import { ENCODINGS, type Encoding } from "../formats/encodings.ts";
import { type Column, findColumns, invalidSetting, MEMBERS } from "../formats/find-columns.ts";
import { invalidFile } from "../formats/lines.ts";
import type { Progress } from "../progress.ts";
import { openSource, type SourceFile } from "./source-file.ts";
import { type Survey, surveyFile } from "./survey.ts";

export interface OpenedFile {
  source: SourceFile;
  survey: Survey;
  columns: Column[];
  /** Equal texts mean that the same rows give the same animals. */
  reading: string;
  /** With the encoding and the delimiter that were detected. */
  settings: ImportSettings;
}

interface OpenOptions {
  rowsMax?: number | undefined;
  ignore?: readonly string[] | undefined;
  excel?: boolean | "auto" | undefined;
  photoSource?: object | undefined;
  onStep?: Progress | undefined;
}

const AUTO = "auto";
const CURRENCY = /^[A-Z]{3}$/;
type Delimiter = keyof typeof DELIMITERS;
const DELIMITER_NAMES = Object.keys(DELIMITERS) as Delimiter[];

/** Reads the whole file once. Throws `invalid_file`, and `invalid_parameter` for settings that do not fit. */
export async function openFile(request: ImportRequest, options: OpenOptions): Promise<OpenedFile> {
  const { path, format, signal } = request;
  const { ignore, photoSource, rowsMax = Number.POSITIVE_INFINITY, onStep = () => {} } = options;
  const settings = checkSettings(request.settings);
  const isTabs = format === "tsv" && settings.delimiter === AUTO;
  const source = await openSource({
    path,
    format: format === "ndjson" ? "ndjson" : "csv",
    encoding: settings.encoding === AUTO ? undefined : (settings.encoding as Encoding),
    delimiter: isTabs ? DELIMITERS.tab : DELIMITERS[settings.delimiter as Delimiter],
    signal,
    onProgress: onStep,
  });
  const survey = await surveyFile(source, rowsMax);
  refuseOtherFiles(source);
  const columns = findColumns(source.headings(), {
    map: settings.map,
    ignore,
    photos: photoSource !== undefined,
  });
  const delimiter = DELIMITER_NAMES.find((name) => DELIMITERS[name] === source.delimiter()) ?? AUTO;
  const used = { ...settings, encoding: source.encoding, delimiter };
  const reading = describeReading(
    { source, survey, columns, settings: used },
    options.excel === "auto" ? survey.hasGuards : options.excel === true,
  );
  return { source, survey, columns, reading, settings: used };
}

/** Problems and columns repeat the headings. */
const HEADING_LENGTH_MAX = 1_000;
/** A control character, which is in the first line of a binary file, or how a web page or a PDF file begins. */
const NO_HEADING = /[^\P{Cc}\t\r\n]|^<|^%PDF/u;

/** A table whose headings are not recognised is none of them: people assign its columns. */
function refuseOtherFiles(source: SourceFile): void {
  for (const heading of source.headings()) {
    if (source.format === "csv" && NO_HEADING.test(heading))
      throw invalidFile(
        `The first line has no headings: ${showText(heading)}. Save the table as "CSV UTF-8", and send that file.`,
      );
    if (heading.length > HEADING_LENGTH_MAX)
      throw invalidFile(
        `The heading ${showText(heading)} is longer than ${HEADING_LENGTH_MAX.toLocaleString("en")} characters. Shorten it, or check the delimiter.`,
      );
  }
}

function checkSettings(settings: ImportSettings): ImportSettings {
  const { encoding, delimiter, currency } = settings;
  const refuseOther = (name: string, value: string, allowed: readonly string[]) => {
    if (value !== AUTO && !allowed.includes(value))
      throw invalidSetting(`${name} must be one of ${[AUTO, ...allowed].join(" ")}`);
  };
  refuseOther("encoding", encoding, ENCODINGS);
  refuseOther("delimiter", delimiter, DELIMITER_NAMES);
  if (currency !== undefined && !CURRENCY.test(currency))
    throw invalidSetting("currency must be a currency code of ISO 4217, such as EUR");
  return settings;
}

/** At the end of the texts since release 1.2. */
const MARK = " v2";

/** Without the mark, the text of a file that earlier releases could read is theirs: unfinished imports can be completed. */
function describeReading(
  { source, survey, columns, settings }: Omit<OpenedFile, "reading">,
  excel: boolean,
): string {
  const { format, encoding } = source;
  const { currency, categoryId, dateOrder } = settings;
  const identify = ({ index, heading }: Column) => (format === "csv" ? index : heading);
  const members = [...new Set([...MEMBERS, ...columns.map(({ member }) => member)])];
  const columnsByMember = members.flatMap((member) => {
    const found = columns.filter((column) => column.member === member).map(identify);
    return found.length === 0 ? [] : [[member, found.length === 1 ? found[0] : found]];
  });
  const dates = columns.flatMap(({ kind, member, index }) => {
    const order = chooseOrder(dateOrder, survey.orders[index]);
    return kind === "date" && order !== "ymd" ? [[member, order]] : [];
  });
  const hasFee = columns.some(({ member }) => member === "fee" || member === "fee.amount");
  const text = JSON.stringify({
    delimiter: source.delimiter(),
    ...Object.fromEntries(columnsByMember),
    ...(encoding !== "utf-8" && { encoding }),
    ...(excel && { excel }),
    ...(dates.length > 0 && { dates: Object.fromEntries(dates) }),
    ...(hasFee && currency !== undefined && { currency }),
    ...(categoryId !== undefined && { category: String(categoryId) }),
  });
  return `${format} ${text}${MARK}`;
}

export function isSameReading(stored: string, reading: string): boolean {
  return stored === reading || `${stored}${MARK}` === reading;
}

/** Whether the text comes from a release before 1.2. */
export function isOldReading(stored: string): boolean {
  return !stored.endsWith(MARK);
}
