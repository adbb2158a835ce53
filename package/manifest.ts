// The generated files of the package for npm: package.json and the SBOM.

interface LockedPackage {
  version: string;
  dev?: boolean;
  optional?: boolean;
  devDependencies?: object;
}

interface Lock {
  packages: Record<string, LockedPackage>;
}

/** Fields of our package.json that make sense without the sources. */
const KEPT = ["name", "version", "description", "license", "type", "engines", "optionalDependencies"];

export function createManifest(own: Record<string, unknown>, lock: Lock): Record<string, unknown> {
  return {
    ...Object.fromEntries(KEPT.map((name) => [name, own[name]])),
    bin: { "animal-store": "launcher/animal-store.cjs" },
    dependencies: pinAll(lock),
  };
}

/**
 * All packages that npm puts beside ours, also dependencies of dependencies, each with its exact version. npm ignores the
 * npm-shrinkwrap.json of a package that it installs from a file.
 */
function pinAll({ packages }: Lock): Record<string, string> {
  const pinned = Object.entries(packages).flatMap(([path, { version, dev, optional }]) => {
    const [, name, nested] = path.split(/(?:^|\/)node_modules\//);
    return name === undefined || nested !== undefined || dev || optional ? [] : [[name, version]];
  });
  return Object.fromEntries(pinned);
}

/** The lockfile without packages for development. */
export function createProductionLock({ packages, ...rest }: Lock): Lock {
  const used = Object.entries(packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, { devDependencies: _, ...entry }]) => [path, entry] as const);
  return { ...rest, packages: Object.fromEntries(used) };
}

/** Removes what differs between two builds of the same sources: the time and the random number. */
export function createSbom(cyclonedx: string): Record<string, unknown> {
  const { serialNumber: _, metadata, ...rest } = JSON.parse(cyclonedx);
  const { timestamp: __, ...lasting } = metadata;
  return { ...rest, metadata: lasting };
}
