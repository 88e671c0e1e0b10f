import { isDeepStrictEqual } from 'node:util';

import { createReport, type Report } from '../config/config.ts';
import type { ReadFile } from '../config/load.ts';
import { type Facts, gauge } from '../core/facts.ts';
import type { Log } from '../core/log.ts';
import { Contents, stampOf } from './contents.ts';

/** Files that belong together, and are replaced without a restart: read, checked, swapped. */
export interface FileSet<T = unknown> {
  /** The settings that name them. */
  readonly name: string;
  /** Whether a hash would help to guess what they hold. */
  readonly isSecret: boolean;
  /** Their paths now, and those of folders in which more may come. */
  paths(): readonly string[];
  /** Gives what the files at these paths mean, and reports each problem; none quotes a secret. */
  check(read: ReadFile, report: Report, paths: readonly string[]): T | Promise<T>;
  /** Ends what they allow no more, whatever is wrong with other files. @returns whether there was something. */
  revoke?(value: T): boolean;
  /** Puts it in the place of what is in use, for all who come from now on. */
  swap(value: T): void;
}

/** The files that may change while a gateway runs. */
export type Reload = ReturnType<typeof createReload>;

interface ReloadOptions {
  /** What the gateway was started with. */
  readonly contents: Contents;
  readonly facts: Facts;
  readonly log: Log;
}

const LOOK_MS = 10_000;
const COMPARE_MS = 300_000;
/** A file that is the same after so long was written to its end. */
const SETTLED_MS = 500;
/** How many problems of a set are shown. */
const MAX_PROBLEMS = 10;

/** A set whose files were read. */
interface Found {
  readonly set: FileSet;
  readonly paths: readonly string[];
  readonly hash: string;
}

/** The same with what they mean. */
interface Checked extends Found {
  readonly value: unknown;
  readonly problems: readonly string[];
}

/**
 * Looks at files every ten seconds, and compares their contents where they look different, and every five minutes. What differs is
 * checked together with all other files, and replaces what is in use where none has a problem.
 */
export function createReload({ contents, facts, log }: ReloadOptions) {
  const sets: FileSet[] = [];
  /** The hash of what is in use, and of what was checked last. */
  const used = new Map<FileSet, string>();
  let seen: ReadonlyMap<FileSet, string> = used;
  const listeners: (() => void)[] = [];
  let failure: { readonly problems: readonly string[]; readonly since: string } | undefined;
  let watched: readonly string[] = [];
  let stamp: string | undefined;
  let isStopped = false;

  const stampAll = () => watched.map(stampOf).join('\n');
  const findAll = (now: Contents): readonly Found[] => {
    // Looked at before they are read, so that a change meanwhile is seen later.
    watched = sets.flatMap((set) => set.paths());
    stamp = stampAll();
    const found = sets.map((set) => {
      const paths = set.paths();
      return { set, paths, hash: now.hash(paths) };
    });
    const read = found.flatMap(({ paths }) => paths);
    if (!isDeepStrictEqual(read, watched)) stamp = undefined;
    return found;
  };

  const compare = async (): Promise<void> => {
    let found = findAll(new Contents());
    // A schema that has changed may have mended what was wrong.
    let isDone = failure === undefined && found.every(({ set, hash }) => hash === seen.get(set));
    while (!isDone) {
      const before = found;
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS).unref());
      if (isStopped) return;
      const now = new Contents();
      found = findAll(now);
      const settled = found.filter(({ hash }, at) => hash === before[at]?.hash);
      isDone = settled.length === found.length;
      // While some are still being written, the others may revoke and no more.
      const checked = await checkEach(isDone ? settled : settled.filter(({ set }) => set.revoke), now.read);
      if (isDone) decide(checked);
    }
  };

  const checkEach = async (settled: readonly Found[], read: ReadFile): Promise<Checked[]> => {
    const checked: Checked[] = [];
    for (const one of settled) {
      const { set, hash, paths } = one;
      const problems: string[] = [];
      const value = await set.check(read, createReport(problems), paths);
      checked.push({ ...one, value, problems });
      if (problems.length === 0 && hash !== used.get(set)) revokeBy(set, value);
    }
    return checked;
  };
  const revokeBy = (set: FileSet, value: unknown): void => {
    if (!set.revoke?.(value)) return;
    used.delete(set);
    tell('what a file allows no more is refused', [set.name]);
  };

  const decide = (checked: readonly Checked[]): void => {
    seen = new Map(checked.map(({ set, hash }) => [set, hash]));
    const problems = checked.filter((one) => one.problems.length > 0).map(describe);
    if (problems.length > 0) {
      fail(problems);
      return;
    }
    const replaced = checked.filter(({ set, hash }) => hash !== used.get(set));
    // In one turn of the event loop, so that no request meets some of it.
    for (const { set, value, hash } of replaced) {
      set.swap(value);
      used.set(set, hash);
    }
    const isChange = failure !== undefined || replaced.length > 0;
    failure = undefined;
    const names = replaced.map(({ set }) => set.name);
    if (isChange) tell('the files are in use', names);
  };
  const fail = (problems: readonly string[]): void => {
    if (isDeepStrictEqual(failure?.problems, problems)) return;
    failure = { problems, since: new Date().toISOString() };
    log.error({ code: 'RELOAD_FAILED', problems }, 'changed files cannot be used; those of before stay in use');
  };
  const tell = (message: string, files: readonly string[]): void => {
    log.info({ code: 'RELOADED', files }, message);
    for (const listener of listeners) listener();
  };

  const help = 'Whether changed files cannot be used, so that those of before stay in use: 1, else 0.';
  facts.gauges.push(gauge('caseway_reload_failed', help, () => Number(failure !== undefined)));
  facts.status.push(() => {
    const { problems = [], since } = failure ?? {};
    return problems.map((text) => ({ title: `Changed files that are not in use, since ${since}`, text }));
  });

  let queue = Promise.resolve();
  let isWaiting = false;
  /** One after the other, of which one waits at most. */
  const run = (): Promise<void> => {
    if (isWaiting) return queue;
    isWaiting = true;
    queue = queue
      .then(() => {
        isWaiting = false;
        return compare();
      })
      .catch((err: unknown) => log.error({ code: 'RELOAD_FAILED', err }, 'files cannot be compared'));
    return queue;
  };

  return {
    /** Adds files that are in use as they were at the start. Those that may revoke something come first. */
    add(set: FileSet): void {
      sets.push(set);
      used.set(set, contents.hash(set.paths()));
    },
    /** Calls back when files have taken the place of others, or have revoked something. */
    onReplaced: (listener: () => void): void => void listeners.push(listener),
    /** Compares the contents of all files with those in use. */
    compare: run,
    /** Begins to look at the files. @returns what ends it. */
    start(): () => void {
      const look = () => void (stamp === stampAll() || run());
      const timers = [setInterval(look, LOOK_MS), setInterval(run, COMPARE_MS)].map((timer) => timer.unref());
      return () => {
        isStopped = true;
        for (const timer of timers) clearInterval(timer);
      };
    },
  };
}

/** Which files they are, their hash where it helps nobody to guess a secret, and what is wrong. */
function describe({ set, paths, hash, problems }: Checked): string {
  const where = paths.length > 2 ? `${paths[0]} and ${paths.length - 1} more` : paths.join(', ');
  const left = problems.length - MAX_PROBLEMS;
  const shown = [...problems.slice(0, MAX_PROBLEMS), ...(left > 0 ? [`and ${left} more`] : [])];
  return `${where}${set.isSecret ? '' : ` (sha256 ${hash})`}: ${shown.join('; ')}`;
}
