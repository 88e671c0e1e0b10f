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
/** A file that is the same after so long was written to its end. */
const SETTLED_MS = 500;

const FAILED = 'changed files cannot be used; those of before stay in use';

/** What is known of a set: how its files looked that are in use, and what is wrong with those that are not. */
interface InUse {
  stamp: string;
  problems: readonly string[];
}

/** Looks at files every ten seconds. A set of them that differs is checked, and replaces what is in use where it has no problem. */
export function createReload({ facts, log }: { readonly facts: Facts; readonly log: Log }) {
  const sets = new Map<FileSet, InUse>();
  const listeners: (() => void)[] = [];
  let running: Promise<void> | undefined;

  const renew = async (set: FileSet, inUse: InUse, stamp: string): Promise<void> => {
    const problems: string[] = [];
    const value = await set.check(readText, createReport(problems, readText), set.paths());
    const isNews = !isDeepStrictEqual(problems, inUse.problems);
    inUse.problems = problems;
    if (problems.length > 0) {
      if (isNews) log.error({ code: 'RELOAD_FAILED', problems }, FAILED);
      return;
    }
    set.swap(value);
    inUse.stamp = stamp;
    log.info({ code: 'RELOADED', files: set.name }, 'the files are in use');
    for (const listener of listeners) listener();
  };
  const look = async (): Promise<void> => {
    for (const [set, inUse] of sets) {
      const stamp = stampOf(set.paths());
      if (stamp === inUse.stamp) {
        inUse.problems = [];
        continue;
      }
      await sleep(SETTLED_MS, undefined, { ref: false });
      if (stampOf(set.paths()) === stamp) await renew(set, inUse, stamp);
    }
  };
  const compare = (): Promise<void> => {
    running ??= look()
      .catch((err: unknown) => log.error({ code: 'RELOAD_FAILED', err }, 'files cannot be compared'))
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  const problems = () => [...sets.values()].flatMap((state) => state.problems);
  const help = 'Whether changed files cannot be used, so that those of before stay in use: 1, else 0.';
  facts.gauges.push(gauge('caseway_reload_failed', help, () => Number(problems().length > 0)));
  facts.status.push(() => problems().map((text) => ({ title: 'Changed files that are not in use', text })));

  return {
    /** Adds files that are in use as they are now. A pipe gives what it holds once, and is not looked at. */
    add(set: FileSet): void {
      const paths = set.paths();
      if (paths.some((path) => orUndefined(() => statSync(path))?.isFIFO())) return;
      sets.set(set, { stamp: stampOf(paths), problems: [] });
    },
    /** Calls back when files have taken the place of others. */
    onReplaced: (listener: () => void): void => void listeners.push(listener),
    /** Looks at all files now. */
    compare,
    /** Begins to look at the files. @returns what ends it. */
    start(): () => void {
      const timer = setInterval(compare, LOOK_MS).unref();
      return () => clearInterval(timer);
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
