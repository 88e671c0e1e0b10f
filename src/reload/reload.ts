import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { isPipe, readText } from '../config/files.ts';
import { createReport, type Report } from '../config/load.ts';
import { orUndefined } from '../core/errors.ts';
import { type Facts, gauge, type StatusLine } from '../core/facts.ts';
import type { Log } from '../core/log.ts';

/**
 * Files that belong together. They can be replaced without a restart: they are read, checked and
 * swapped as one.
 */
export interface FileSet<T = unknown> {
  /** The setting that names them. */
  readonly name: string;
  /** Returns the current paths: the files, and the folders in which further files may appear. */
  paths(): readonly string[];
  /** Reads the files and reports each problem, without quoting secrets. Returns their content. */
  check(report: Report): T | Promise<T>;
  /**
   * Whether the readable part of files with problems replaces the value in use. Without it the old
   * value stays in use.
   */
  isUsableInPart?(value: T): boolean;
  /** Puts the new content to use. Requests that have already started keep the old one. */
  swap(value: T): void;
  /** Returns why the content in use does not work, such as a password that is refused. */
  problem?(): string | undefined;
}

/** The watched files. */
export interface Reload {
  /**
   * Adds a set whose content was read with the settings. A pipe can be read only once, so it is not
   * watched.
   */
  add<T>(set: FileSet<T>): void;
  /** Calls the listener each time a set has been replaced. */
  onReplaced(listener: () => void): void;
  /** Compares all files now. Resolves when changed sets have been checked. */
  compare(): Promise<void>;
  /**
   * Starts the comparison of files.
   *
   * @returns a function that stops it.
   */
  start(): () => void;
}

const LOOK_MS = 10_000;
/** A file that has not changed for this long was written completely. In milliseconds. */
const SETTLED_MS = 500;

const IN_USE = 'the files are in use';
const FAILED = 'changed files cannot be used; the previous files stay in use';
const IN_USE_IN_PART = 'changed files have problems; their readable part is in use';

/**
 * The state of a set: the hash of the content in use, and the problems of newer content that cannot
 * be used.
 */
interface InUse {
  hash: string;
  problems: readonly string[];
  /** Whether the files in use have these problems themselves. */
  isPart: boolean;
  /** The check that is in progress. */
  looking?: Promise<void> | undefined;
}

interface ReloadOptions {
  /** When the settings and their files were read, in epoch milliseconds. */
  readonly readAtMs: number;
  /** The files of secrets, by the names of their settings. */
  readonly secretFiles: ReadonlyMap<string, string>;
  readonly facts: Facts;
  readonly log: Log;
}

/**
 * Watches files: it compares their content every ten seconds. If a set has changed, it is checked,
 * and it replaces the content in use if it has no problem. Sets do not wait for each other.
 */
export function createReload({ readAtMs, secretFiles, facts, log }: ReloadOptions): Reload {
  const sets = new Map<FileSet, InUse>();
  const listeners: (() => void)[] = [];

  const noteProblems = (inUse: InUse, problems: readonly string[], isPart: boolean): void => {
    const isNews = problems.length > 0 && !isDeepStrictEqual(problems, inUse.problems);
    inUse.problems = problems;
    inUse.isPart = isPart;
    if (isNews) log.error({ code: 'RELOAD_FAILED', problems }, isPart ? IN_USE_IN_PART : FAILED);
  };
  const renew = async (set: FileSet, inUse: InUse, contents: string): Promise<void> => {
    const problems: string[] = [];
    const report = createReport(problems, secretFiles);
    const value = set.paths().some(isPipe)
      ? report(set.name, 'a pipe is read at the start alone')
      : await set.check(report);
    const hasProblems = problems.length > 0;
    const isPart = hasProblems && set.isUsableInPart?.(value) === true;
    noteProblems(inUse, problems, isPart);
    if (hasProblems && !isPart) return;
    set.swap(value);
    inUse.hash = contents;
    if (!hasProblems) log.info({ code: 'RELOADED', files: set.name }, IN_USE);
    for (const listener of listeners) listener();
  };
  const look = async (set: FileSet, inUse: InUse): Promise<void> => {
    let contents = hashOf(set.paths());
    if (contents === inUse.hash) {
      if (inUse.isPart) return;
      if (inUse.problems.length > 0) log.info({ code: 'RELOADED', files: set.name }, IN_USE);
      inUse.problems = [];
      return;
    }
    let before: string;
    do {
      before = contents;
      await sleep(SETTLED_MS, undefined, { ref: false });
      contents = hashOf(set.paths());
    } while (contents !== before);
    await renew(set, inUse, contents);
  };
  const lookAtAll = async (): Promise<void> => {
    const looks = [...sets].map(([set, inUse]) => {
      inUse.looking ??= look(set, inUse)
        .catch((err: unknown) =>
          log.error({ code: 'RELOAD_FAILED', err }, 'files cannot be compared'),
        )
        .finally(() => {
          inUse.looking = undefined;
        });
      return inUse.looking;
    });
    await Promise.all(looks);
  };

  const readLines = (): readonly StatusLine[] =>
    [...sets].flatMap(([set, { problems, isPart }]) => {
      const title = isPart ? 'Changed files in use in part' : 'Changed files that are not in use';
      const lines = problems.map((text) => ({ title, text }));
      const text = set.problem?.();
      return text ? [...lines, { title: 'Changed files that do not work', text }] : lines;
    });
  const help = '1 while changed files have problems, are not in use or do not work, else 0.';
  facts.gauges.push(gauge('caseway_reload_failed', help, () => Number(readLines().length > 0)));
  facts.status.push(readLines);

  return {
    add<T>(set: FileSet<T>) {
      const paths = set.paths();
      if (paths.some(isPipe)) return;
      const isChanged = paths.some(
        (path) => Math.floor(orUndefined(() => statSync(path).ctimeMs) ?? 0) > readAtMs,
      );
      sets.set(set, { hash: isChanged ? '' : hashOf(paths), problems: [], isPart: false });
    },
    onReplaced: (listener) => void listeners.push(listener),
    compare: lookAtAll,
    start() {
      void lookAtAll();
      const timer = setInterval(lookAtAll, LOOK_MS).unref();
      return () => clearInterval(timer);
    },
  };
}

/**
 * Returns a hash of the paths and of the content of files. For a folder it contains only the path,
 * since its files are paths of their own.
 */
function hashOf(paths: readonly string[]): string {
  const contents = paths.map((path) => {
    const text = isPipe(path) ? undefined : orUndefined(() => readText(path));
    return [path, text ?? null];
  });
  return hash('sha256', JSON.stringify(contents));
}
