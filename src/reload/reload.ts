import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { isPipe, readText } from '../config/files.ts';
import { createReport, type Report } from '../config/load.ts';
import { orUndefined } from '../core/errors.ts';
import { type Facts, gauge } from '../core/facts.ts';
import type { Log } from '../core/log.ts';

/** Files that belong together, and are replaced without a restart: read, checked, swapped. */
export interface FileSet<T = unknown> {
  /** The settings that name them. */
  readonly name: string;
  /** Their paths now, and those of folders in which more may come. */
  paths(): readonly string[];
  /** Gives what the files mean now, and reports each problem; none quotes a secret. */
  check(report: Report): T | Promise<T>;
  /** Puts it in the place of what is in use, for all who come from now on. */
  swap(value: T): void;
}

/** The files that may change while a gateway runs. */
export type Reload = ReturnType<typeof createReload>;

const LOOK_MS = 10_000;
/** A file that is the same after so long was written to its end. */
const SETTLED_MS = 500;

const IN_USE = 'the files are in use';
const FAILED = 'changed files cannot be used; the previous files stay in use';

/** What is known of a set: what its files held that are in use, and what is wrong with those that are not. */
interface InUse {
  hash: string;
  problems: readonly string[];
  /** While it is looked at. */
  looking?: Promise<void> | undefined;
}

interface ReloadOptions {
  /** When the settings were read, and their files with them. */
  readonly readAtMs: number;
  /** The files of secrets, by the names of their settings. */
  readonly secretFiles: ReadonlyMap<string, string>;
  readonly facts: Facts;
  readonly log: Log;
}

/**
 * Compares what files hold every ten seconds. A set of them that differs is checked, and replaces what is in use where it has no
 * problem. No set waits for another.
 */
export function createReload({ readAtMs, secretFiles, facts, log }: ReloadOptions) {
  const sets = new Map<FileSet, InUse>();
  const listeners: (() => void)[] = [];

  const renew = async (set: FileSet, inUse: InUse, contents: string): Promise<void> => {
    const problems: string[] = [];
    const report = createReport(problems, secretFiles);
    const value = set.paths().some(isPipe)
      ? report(set.name, 'a pipe is read at the start alone')
      : await set.check(report);
    const isNews = !isDeepStrictEqual(problems, inUse.problems);
    inUse.problems = problems;
    if (problems.length > 0) {
      if (isNews) log.error({ code: 'RELOAD_FAILED', problems }, FAILED);
      return;
    }
    set.swap(value);
    inUse.hash = contents;
    log.info({ code: 'RELOADED', files: set.name }, IN_USE);
    for (const listener of listeners) listener();
  };
  const look = async (set: FileSet, inUse: InUse): Promise<void> => {
    let contents = hashOf(set.paths());
    if (contents === inUse.hash) {
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

  const problems = () => [...sets.values()].flatMap((inUse) => inUse.problems);
  const help = '1 while changed files cannot be used and the previous files stay in use, else 0.';
  facts.gauges.push(gauge('caseway_reload_failed', help, () => Number(problems().length > 0)));
  facts.status.push(() =>
    problems().map((text) => ({ title: 'Changed files that are not in use', text })),
  );

  return {
    /** Adds files that are in use as they were when the settings were read. A pipe gives what it holds once, and is not looked at. */
    add<T>(set: FileSet<T>): void {
      const paths = set.paths();
      if (paths.some(isPipe)) return;
      const isChanged = paths.some(
        (path) => Math.floor(orUndefined(() => statSync(path).ctimeMs) ?? 0) > readAtMs,
      );
      sets.set(set, { hash: isChanged ? '' : hashOf(paths), problems: [] });
    },
    /** Calls back when files have taken the place of others. */
    onReplaced: (listener: () => void): void => void listeners.push(listener),
    /** Looks at all files now. */
    compare: lookAtAll,
    /** Begins to look at the files. @returns what ends it. */
    start(): () => void {
      void lookAtAll();
      const timer = setInterval(lookAtAll, LOOK_MS).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Tells files from others by what they hold; folders among them are told apart by their files. */
const hashOf = (paths: readonly string[]): string =>
  hash(
    'sha256',
    JSON.stringify(
      paths.map((path) => [
        path,
        isPipe(path) ? null : (orUndefined(() => readText(path)) ?? null),
      ]),
    ),
  );
