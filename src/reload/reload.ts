import { isDeepStrictEqual } from 'node:util';

import { createReport, type Report } from '../config/config.ts';
import type { ReadFile } from '../config/load.ts';
import { type Facts, gauge } from '../core/facts.ts';
import type { Log } from '../core/log.ts';
import { Contents, isPipe, readAgain, stampOf } from './contents.ts';

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
 * checked together with all other files, and replaces what is in use where none has a problem. What is allowed no more does not
 * wait for that.
 */
export function createReload({ contents, facts, log }: ReloadOptions) {
  const sets: FileSet[] = [];
  /** The hash of what is in use. */
  const used = new Map<FileSet, string>();
  const listeners: (() => void)[] = [];
  let failure: { readonly problems: readonly string[]; readonly since: string } | undefined;
  let watched: readonly string[] = [];
  let stamp: string | undefined;
  let isStopped = false;

  const stampAll = () => watched.map(stampOf).join('\n');
  const revoking = () => sets.filter((set) => set.revoke);
  const find = (some: readonly FileSet[], now = new Contents(readAgain)): readonly Found[] =>
    some.map((set) => {
      const paths = set.paths();
      return { set, paths, hash: now.hash(paths) };
    });
  const isInUse = ({ set, hash }: Found): boolean => hash === used.get(set);

  /** Reads files again until they stay the same, and checks them. */
  const check = async (first: readonly Found[]): Promise<readonly Checked[]> => {
    const some = first.map(({ set }) => set);
    let now: Contents;
    let before: readonly Found[];
    let found = first;
    do {
      before = found;
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS).unref());
      now = new Contents(readAgain);
      found = find(some, now);
    } while (!isStopped && found.some(({ hash }, at) => hash !== before[at]?.hash));
    const checked: Checked[] = [];
    for (const one of found) {
      const problems: string[] = [];
      const value = await one.set.check(now.read, createReport(problems, now.read), one.paths);
      checked.push({ ...one, value, problems });
    }
    return checked;
  };

  /** Ends what files allow no more, whatever is wrong with others, and however long these take to check. */
  const revoke = async (): Promise<void> => {
    const found = find(revoking());
    if (found.every(isInUse)) return;
    for (const { set, value, problems } of await check(found)) {
      if (problems.length > 0 || !set.revoke?.(value)) continue;
      used.delete(set);
      tell('what a file allows no more is refused', [set.name]);
    }
  };

  const compare = async (): Promise<void> => {
    watched = sets.flatMap((set) => set.paths());
    // Looked at before they are read, so that a change meanwhile is seen later.
    const looks = stampAll();
    const found = find(sets);
    const read = found.flatMap(({ paths }) => paths);
    stamp = isDeepStrictEqual(read, watched) ? looks : undefined;
    // A schema that has changed may have mended what was wrong.
    if (failure === undefined && found.every(isInUse)) return;
    const checked = await check(found);
    if (isStopped) return;
    // What was revoked while others were checked must not come back.
    const isOld = find(revoking()).some(({ set, hash }) => checked.some((one) => one.set === set && one.hash !== hash));
    if (isOld) return compare();
    decide(checked);
  };

  const decide = (checked: readonly Checked[]): void => {
    const problems = checked.filter((one) => one.problems.length > 0).map(describe);
    if (problems.length > 0) {
      if (isDeepStrictEqual(failure?.problems, problems)) return;
      failure = { problems, since: failure?.since ?? new Date().toISOString() };
      log.error({ code: 'RELOAD_FAILED', problems }, 'changed files cannot be used; those of before stay in use');
      return;
    }
    const replaced = checked.filter((one) => !isInUse(one));
    // In one turn of the event loop, so that no request meets some of it.
    for (const { set, value, hash } of replaced) {
      set.swap(value);
      used.set(set, hash);
    }
    if (failure === undefined && replaced.length === 0) return;
    failure = undefined;
    const names = replaced.map(({ set }) => set.name);
    tell('the files are in use', names);
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

  const onError = (err: unknown) => log.error({ code: 'RELOAD_FAILED', err }, 'files cannot be compared');
  const runs = [revoke, compare].map((work) => oneByOne(() => work().catch(onError)));
  const run = () => Promise.all(runs.map((one) => one()));

  return {
    /** Adds files that are in use as they were at the start. */
    add(set: FileSet): void {
      // A pipe gives what it holds once.
      if (set.paths().some(isPipe)) return;
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
      // They may have changed since they were read, and a signal may have come too early.
      look();
      const timers = [setInterval(look, LOOK_MS), setInterval(run, COMPARE_MS)].map((timer) => timer.unref());
      return () => {
        isStopped = true;
        for (const timer of timers) clearInterval(timer);
      };
    },
  };
}

/** Runs work as often as it is asked for, one after the other, of which one waits at most. */
function oneByOne(work: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let isWaiting = false;
  const next = () => {
    isWaiting = false;
    return work();
  };
  return () => {
    if (!isWaiting) last = last.then(next);
    isWaiting = true;
    return last;
  };
}

/** Which files they are, their hash where it helps nobody to guess a secret, and what is wrong. */
function describe({ set, paths, hash, problems }: Checked): string {
  const where = paths.length > 2 ? `${paths[0]} and ${paths.length - 1} more` : paths.join(', ');
  const left = problems.length - MAX_PROBLEMS;
  const shown = [...problems.slice(0, MAX_PROBLEMS), ...(left > 0 ? [`and ${left} more`] : [])];
  return `${where}${set.isSecret ? '' : ` (sha256 ${hash})`}: ${shown.join('; ')}`;
}
