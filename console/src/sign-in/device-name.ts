// What a browser says about itself, as people call the device: "iPhone, Safari".

/** The first one that matches: browsers claim to be others, too. */
const DEVICES: ReadonlyArray<[pattern: RegExp, name: string]> = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/CrOS/, "Chromebook"],
  [/Windows/, "Windows"],
  [/Macintosh/, "Mac"],
  [/Linux/, "Linux"],
];
const BROWSERS: ReadonlyArray<[pattern: RegExp, name: string]> = [
  [/Edg(?:A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
];

interface Browser {
  userAgent: string;
  maxTouchPoints: number;
}

/** Empty for a browser that is not known. */
export function nameDevice({ userAgent, maxTouchPoints }: Browser): string {
  const device = findName(DEVICES, userAgent);
  // An iPad asks for pages as a Mac does, but no Mac has a touch screen.
  const isTablet = device === "Mac" && maxTouchPoints > 1;
  return [isTablet ? "iPad" : device, findName(BROWSERS, userAgent)].filter(Boolean).join(", ");
}

function findName(names: typeof DEVICES, userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
