/** What the tests read of npm's lockfile. */
export interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The versions of a package that will do: from the first on, and below the second. */
export interface VersionRange {
  readonly atLeast: string;
  readonly below?: string;
}

const packagesOf = ({ packages }: Lockfile) => Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Packages whose content nobody could check. */
export function unverified(lockfile: Lockfile): string[] {
  return packagesOf(lockfile)
    .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    .map(([path]) => path);
}

/** Packages that come from an address rather than from a registry by name and version. */
export function addressed(lockfile: Lockfile): string[] {
  const isAddress = (text: string) => /^(https?|git|file|github|ssh)\b.*:/.test(text);
  return packagesOf(lockfile)
    .filter(
      ([, { resolved, link, version = '', dependencies = {} }]) =>
        resolved !== undefined || link === true || [version, ...Object.values(dependencies)].some(isAddress),
    )
    .map(([path]) => path);
}

/** Packages that others name and the lockfile lacks: `npm ci` refuses it, also where they are for other platforms only. */
export function incomplete({ packages }: Lockfile): string[] {
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !foldersAbove(path).some((folder) => `${folder}node_modules/${name}` in packages))
      .map((name) => `${path} needs ${name}`),
  );
}

/** Where a package's dependencies may be installed, from its own folder up to the root. */
function foldersAbove(path: string): string[] {
  if (path === '') return [''];
  return [`${path}/`, ...foldersAbove(path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)))];
}

/** Packages that bring an install script. */
export function scripted(lockfile: Lockfile): { readonly name: string; readonly isDev: boolean }[] {
  return packagesOf(lockfile)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path, { dev }]) => ({ name: nameOf(path), isDev: dev === true }));
}

/** Every installed copy of the named packages whose version will not do. */
export function outdated(lockfile: Lockfile, ranges: Readonly<Record<string, VersionRange>>): string[] {
  return packagesOf(lockfile).flatMap(([path, { version = '' }]) => {
    const range = ranges[nameOf(path)];
    return range === undefined || isWithin(version, range) ? [] : [`${nameOf(path)} ${version}`];
  });
}

function isWithin(version: string, { atLeast, below }: VersionRange): boolean {
  return compare(version, atLeast) >= 0 && (below === undefined || compare(version, below) < 0);
}

/** Orders two versions by their numbers; a pre-release comes before its release. */
function compare(left: string, right: string): number {
  const [numbers, others] = [left, right].map((version) => version.replace(/-.*/, '').split('.').map(Number));
  const differences = numbers?.map((number, index) => number - (others?.[index] ?? 0)) ?? [];
  return differences.find((difference) => difference !== 0) ?? Number(right.includes('-')) - Number(left.includes('-'));
}
