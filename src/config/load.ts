import { z } from 'zod';

import { codeOrMessage } from '../core/errors.ts';
import { type FileReading, readJsonFile, readText } from './files.ts';
import { factsOf } from './setting-types.ts';
import type { Settings } from './settings.ts';

/** Lists every missing or malformed setting, so that one restart fixes them all. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Collects the problems of settings. All of them are reported together. */
export interface Report {
  /** Reports a problem of a setting. */
  (name: string, problem: string): void;
  /** Reports a missing setting, unless it has another problem. */
  missing(name: string, problem: string): void;
  /**
   * Reads the JSON file of a setting; without a path reads `{}`. Returns `undefined` and reports if
   * there are problems.
   */
  file<T>(
    name: string,
    path: string | undefined,
    read: (content: unknown) => FileReading<T>,
  ): T | undefined;
}

/**
 * Creates a report that adds problems to a list.
 *
 * @param secretFiles the paths of secret files by the names of their settings; problems contain
 *   the path.
 */
export function createReport(
  problems: string[],
  secretFiles?: ReadonlyMap<string, string>,
): Report {
  const report = (name: string, problem: string): void => {
    const file = secretFiles?.get(name);
    problems.push(`${name}: ${problem}${file === undefined ? '' : ` (${file})`}`);
  };
  return Object.assign(report, {
    missing(name: string, problem: string): void {
      // An unreadable file or a malformed value is already reported.
      const prefix = new RegExp(`^${name}(_FILE)?:`);
      if (!problems.some((known) => prefix.test(known))) report(name, problem);
    },
    file<T>(
      name: string,
      path: string | undefined,
      read: (content: unknown) => FileReading<T>,
    ): T | undefined {
      const file = path === undefined ? { value: {} } : readJsonFile(path);
      const result = 'value' in file ? read(file.value) : file;
      if ('value' in result) return result.value;
      for (const problem of result.problems) report(name, `${path}: ${problem}`);
      return undefined;
    },
  });
}

/**
 * Reads the settings and their problems. An empty value counts as absent. An empty file is a
 * problem.
 *
 * @param groups the objects of all settings.
 */
export function loadSettings(env: Environment, groups: readonly z.ZodObject[]) {
  const problems: string[] = [];
  /** The paths of secret files, by the names of their settings. */
  const secretFiles = new Map<string, string>();
  const report = createReport(problems, secretFiles);
  const readOwn = (name: string): string | undefined => {
    const path = env[`${name}_FILE`];
    if (!path) return undefined;
    if (env[name]) report(name, `is set, and so is ${name}_FILE; unset one of them`);
    secretFiles.set(name, path);
    return readSecret(name, path, report);
  };
  const facts = groups.flatMap(factsOf);
  const secrets = new Set(facts.flatMap(({ name, isSecret }) => (isSecret ? name : [])));
  const read = (name: string) => (secrets.has(name) && readOwn(name)) || env[name] || undefined;
  const texts = new Map(facts.map(({ name }) => [name, read(name)]));
  const object = z.object(Object.assign({}, ...groups.map(({ shape }) => shape)));
  const { error } = object.safeParse(Object.fromEntries(texts));
  for (const [name, issues] of Map.groupBy(error?.issues ?? [], ({ path }) => String(path[0]))) {
    const text = texts.get(name) ?? '';
    // A value with "@" may be a URL with a password. A data URL may contain a key.
    const got = secrets.has(name) || /@|^data:/.test(text) ? '' : `, got ${JSON.stringify(text)}`;
    report(name, issues.map(({ message }) => message).join('; ') + got);
    texts.delete(name);
  }
  return {
    settings: object.parse(Object.fromEntries(texts)) as Settings,
    secretFiles,
    problems,
    report,
  };
}

/**
 * Reads a secret from a file, without white space at its end. Returns `undefined` and reports if
 * there is no secret.
 */
export function readSecret(name: string, path: string, report: Report): string | undefined {
  const text = readSettingFile(`${name}_FILE`, path, report)?.trimEnd();
  if (text === '') report(`${name}_FILE`, `there is nothing in the file ${JSON.stringify(path)}`);
  return text || undefined;
}

/** Reads the file of a setting. Returns `undefined` and reports the reason if that fails. */
export function readSettingFile(name: string, path: string, report: Report): string | undefined {
  try {
    return readText(path);
  } catch (error) {
    report(name, `cannot read the file ${JSON.stringify(path)}: ${codeOrMessage(error)}`);
    return undefined;
  }
}
