import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { createReport, type Report } from '../config/config.ts';
import { type ReadFile, readText } from '../config/load.ts';
import { orUndefined } from '../core/errors.ts';
import { type Facts, gauge } from '../core/facts.ts';
import type { Log } from '../core/log.ts';

/** Files that belong together, and are replaced without a restart: read, checked, swapped. */
export interface FileSet<T = unknown> {
  /** The settings that name them. */
  readonly name: string;
  /** Their paths now, and those of folders in which more may come. */
  paths(): readonly string[];
  /** Gives what the files at these paths mean, and reports each problem; none quotes a secret. */
  check(read: ReadFile, report: Report, paths: readonly string[]): T | Promise<T>;
  /** Puts it in the place of what is in use, for all who come from now on. */
  swap(value: T): void;
}

/** The files that may change while a gateway runs. */
export type Reload = ReturnType<typeof createReload>;

const LOOK_MS = 10_000;
const COMPARE_MS = 300_000;
/** A file that is the same after so long was written to its end. */
const SETTLED_MS = 500;

const FAILED = 'changed files cannot be used; those of before stay in use';

/** What is known of a set: how its files looked that are in use, and what is wrong with those that are not. */
interface InUse {
  stamp: string;
  hash: string;
  problems: readonly string[];
  /** While it is looked at. */
  looking?: Promise<void> | undefined;
}

interface ReloadOptions {
  /** When the settings were read, and their files with them. */
  readonly readAtMs: number;
  readonly facts: Facts;
  readonly log: Log;
}

/**
 * Looks at files every ten seconds, and at their contents every five minutes. A set of them that differs is checked, and replaces
 * what is in use where it has no problem. No set waits for another.
 */
export function createReload({ readAtMs, facts, log }: ReloadOptions) {
  const sets = new Map<FileSet, InUse>();
  const listeners: (() => void)[] = [];

  const renew = async (set: FileSet, inUse: InUse, stamp: string): Promise<void> => {
    const problems: string[] = [];
    const paths = set.paths();
    const contents = hashOf(paths);
    const value = await set.check(readAgain, createReport(problems, readAgain), paths);
    const isNews = !isDeepStrictEqual(problems, inUse.problems);
    inUse.problems = problems;
    if (problems.length > 0) {
      if (isNews) log.error({ code: 'RELOAD_FAILED', problems }, FAILED);
      return;
    }
    set.swap(value);
    Object.assign(inUse, { stamp, hash: contents });
    log.info({ code: 'RELOADED', files: set.name }, 'the files are in use');
    for (const listener of listeners) listener();
  };
  const look = async (set: FileSet, inUse: InUse, isOfContents: boolean): Promise<void> => {
    let stamp = stampOf(set.paths());
    if (isOfContents && hashOf(set.paths()) !== inUse.hash) inUse.stamp = '';
    if (stamp === inUse.stamp) {
      inUse.problems = [];
      return;
    }
    let before: string;
    do {
      before = stamp;
      await sleep(SETTLED_MS, undefined, { ref: false });
      stamp = stampOf(set.paths());
    } while (stamp !== before);
    await renew(set, inUse, stamp);
  };
  const lookAtAll = async (isOfContents: boolean): Promise<void> => {
    const looks = [...sets].map(([set, inUse]) => {
      inUse.looking ??= look(set, inUse, isOfContents)
        .catch((err: unknown) => log.error({ code: 'RELOAD_FAILED', err }, 'files cannot be compared'))
        .finally(() => {
          inUse.looking = undefined;
        });
      return inUse.looking;
    });
    await Promise.all(looks);
  };

  const problems = () => [...sets.values()].flatMap((inUse) => inUse.problems);
  const help = 'Whether changed files cannot be used, so that those of before stay in use: 1, else 0.';
  facts.gauges.push(gauge('caseway_reload_failed', help, () => Number(problems().length > 0)));
  facts.status.push(() => problems().map((text) => ({ title: 'Changed files that are not in use', text })));

  return {
    /** Adds files that are in use as they were when the settings were read. A pipe gives what it holds once, and is not looked at. */
    add(set: FileSet): void {
      const paths = set.paths();
      const stats = paths.map((path) => orUndefined(() => statSync(path)));
      if (stats.some((stat) => stat?.isFIFO())) return;
      const isChanged = stats.some((stat) => Math.floor(stat?.ctimeMs ?? 0) > readAtMs);
      sets.set(set, { stamp: isChanged ? '' : stampOf(paths), hash: hashOf(paths), problems: [] });
    },
    /** Calls back when files have taken the place of others. */
    onReplaced: (listener: () => void): void => void listeners.push(listener),
    /** Looks at all files now, and at their contents. */
    compare: () => lookAtAll(true),
    /** Begins to look at the files. @returns what ends it. */
    start(): () => void {
      void lookAtAll(false);
      const timers = [setInterval(lookAtAll, LOOK_MS, false), setInterval(lookAtAll, COMPARE_MS, true)];
      for (const timer of timers) timer.unref();
      return () => {
        for (const timer of timers) clearInterval(timer);
      };
    },
  };
}

/** Tells files from others at their paths without reading them: Kubernetes swaps a link above them. */
function stampOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const { ino, size, mtimeMs } = orUndefined(() => statSync(path)) ?? {};
      return [path, orUndefined(() => realpathSync.native(path)), ino, size, mtimeMs].join(' ');
    })
    .join('\n');
}

/** Gives the text of a file. A pipe in its place would keep the process waiting for its writer. @throws {Error} for anything but a file. */
const readAgain: ReadFile = (path) => {
  if (!statSync(path).isFile()) throw new Error('is not a regular file');
  return readText(path);
};

/** Tells files from others by what they hold; folders among them are told apart by their files. */
const hashOf = (paths: readonly string[]): string =>
  hash('sha256', JSON.stringify(paths.map((path) => [path, orUndefined(() => readAgain(path)) ?? null])));
