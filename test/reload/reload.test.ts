import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import type { StatusLine } from '../../src/core/facts.ts';
import { createLog } from '../../src/core/log.ts';
import { Contents } from '../../src/reload/contents.ts';
import { createReload, type FileSet } from '../../src/reload/reload.ts';
import { writeFolder } from '../support/folder.ts';
import { replaceFile } from './support.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Two files, as two features have them; a text that begins with `bad` is a problem. */
function openTwo() {
  const folder = writeFolder({ one: 'one', two: 'two' });
  const at = (name: string) => join(folder, name);
  const inUse: string[] = [];
  const state = { isFine: false, checks: 0 };
  const setOf = (name: string): FileSet<string> => ({
    name,
    isSecret: false,
    paths: () => [at(name)],
    check(read, report) {
      state.checks++;
      const text = read(at(name));
      if (text.startsWith('bad') && !state.isFine) report(name, 'is bad');
      return text;
    },
    swap: (text) => void inUse.push(text),
  });
  const facts = { gauges: [], readiness: [], status: [] as (() => readonly StatusLine[])[] };
  const reload = createReload({ contents: new Contents(), facts, log: createLog('silent') });
  for (const name of ['one', 'two']) reload.add(setOf(name));
  const replaced = vi.fn();
  reload.onReplaced(replaced);
  onTestFinished(reload.start());
  const status = () => facts.status.flatMap((lines) => lines());
  return { at, inUse, state, replaced, reload, status };
}

/** A file of names, one of which may be taken out, beside one whose check ends when the test says so. */
function openRevoking() {
  const folder = writeFolder({ names: 'a b', slow: '1' });
  const at = (name: string) => join(folder, name);
  let inUse = ['a', 'b'];
  const check = Promise.withResolvers<void>();
  const names: FileSet<readonly string[]> = {
    name: 'names',
    isSecret: false,
    paths: () => [at('names')],
    check: (read) => read(at('names')).split(' '),
    revoke(left) {
      const count = inUse.length;
      inUse = inUse.filter((name) => left.includes(name));
      return inUse.length < count;
    },
    swap(next) {
      inUse = [...next];
    },
  };
  const slow = { name: 'slow', isSecret: false, paths: () => [at('slow')], check: () => check.promise, swap: vi.fn() };
  const reload = createReload({
    contents: new Contents(),
    facts: { gauges: [], readiness: [], status: [] },
    log: createLog('silent'),
  });
  reload.add(names as FileSet);
  reload.add(slow);
  onTestFinished(reload.start());
  return { at, inUse: () => inUse, endCheck: check.resolve, swapSlow: slow.swap, reload };
}

describe('files of several owners', () => {
  it('take the place of others together, and only those that changed', async () => {
    const { at, inUse, replaced } = openTwo();

    replaceFile(at('one'), 'bad one');
    replaceFile(at('two'), 'new two');
    await vi.advanceTimersByTimeAsync(10_500);
    expect([inUse, replaced.mock.calls]).toEqual([[], []]);
    replaceFile(at('one'), 'new one');
    await vi.advanceTimersByTimeAsync(10_500);

    expect(inUse).toEqual(['new one', 'new two']);
    expect(replaced).toHaveBeenCalledOnce();
    replaceFile(at('two'), 'newer two');
    await vi.advanceTimersByTimeAsync(10_500);
    expect(inUse).toEqual(['new one', 'new two', 'newer two']);
  });

  it('are not checked while they stay as they are, however they are touched', async () => {
    const { at, state } = openTwo();

    await vi.advanceTimersByTimeAsync(20_000);
    replaceFile(at('one'), 'one');
    await vi.advanceTimersByTimeAsync(600_000);

    expect(state.checks).toBe(0);
  });

  it('that could not be used are checked again every five minutes, since what they are checked against may change', async () => {
    const { at, inUse, state } = openTwo();
    replaceFile(at('one'), 'bad one');
    await vi.advanceTimersByTimeAsync(11_000);
    expect(state.checks).toBe(2);

    state.isFine = true;
    await vi.advanceTimersByTimeAsync(300_000);

    expect(inUse).toEqual(['bad one']);
  });

  it('are taken once they stop changing', async () => {
    const { at, inUse, reload } = openTwo();

    replaceFile(at('one'), '1');
    const compared = reload.compare();
    for (const text of ['12', '123', '1234']) {
      await vi.advanceTimersByTimeAsync(400);
      replaceFile(at('one'), text);
    }
    expect(inUse).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    await compared;

    expect(inUse).toEqual(['1234']);
  });

  it('are compared once more for all who ask while they are compared', async () => {
    const { at, inUse, reload, state } = openTwo();
    replaceFile(at('one'), 'new');

    const asked = Array.from({ length: 1_000 }, reload.compare);
    await vi.advanceTimersByTimeAsync(2_000);
    await Promise.all(asked);

    expect([inUse, state.checks]).toEqual([['new'], 2]);
  });

  it('that cannot be used are said to be so since the first of them', async () => {
    vi.useFakeTimers();
    const { at, reload, status } = openTwo();
    const titles = async () => {
      const compared = reload.compare();
      await vi.advanceTimersByTimeAsync(2_000);
      await compared;
      return status().map(({ title }) => title);
    };
    replaceFile(at('one'), 'bad one');
    const [first] = await titles();

    replaceFile(at('two'), 'bad two');
    expect(await titles()).toEqual([first, first]);
    replaceFile(at('two'), 'new two');
    expect(await titles()).toEqual([first]);
  });

  it('may be a pipe, which is read once', async () => {
    const folder = writeFolder({ one: '' });
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const check = vi.fn();
    const facts = { gauges: [], readiness: [], status: [] };
    // At the start the file could be read, and a pipe has come in its place.
    const reload = createReload({ contents: new Contents(() => 'text'), facts, log: createLog('silent') });
    reload.add({ name: 'one', isSecret: false, paths: () => [path], check, swap: vi.fn() });

    const compared = reload.compare();
    await vi.advanceTimersByTimeAsync(1_000);
    await compared;

    expect(check).not.toHaveBeenCalled();
  });

  it('that changed before the gateway looked for the first time are found at once', async () => {
    const folder = writeFolder({ one: 'one' });
    const path = join(folder, 'one');
    const contents = new Contents();
    contents.read(path);
    replaceFile(path, 'new');
    const facts = { gauges: [], readiness: [], status: [] };
    const reload = createReload({ contents, facts, log: createLog('silent') });
    const inUse: string[] = [];
    const check: FileSet<string>['check'] = (read) => read(path);
    const swap = (text: string) => void inUse.push(text);
    reload.add({ name: 'one', isSecret: false, paths: () => [path], check, swap: swap as FileSet['swap'] });
    onTestFinished(reload.start());

    await vi.advanceTimersByTimeAsync(600);

    expect(inUse).toEqual(['new']);
  });
});

describe('what a file allows no more', () => {
  it('is refused while other files are still being checked', async () => {
    const { at, inUse, reload } = openRevoking();
    replaceFile(at('slow'), '2');
    void reload.compare();
    await vi.advanceTimersByTimeAsync(600);

    replaceFile(at('names'), 'a');
    void reload.compare();
    await vi.advanceTimersByTimeAsync(600);

    expect(inUse()).toEqual(['a']);
  });

  it('does not come back with what was read before', async () => {
    const { at, inUse, endCheck, swapSlow, reload } = openRevoking();
    replaceFile(at('slow'), '2');
    replaceFile(at('names'), 'a b c');
    const compared = reload.compare();
    await vi.advanceTimersByTimeAsync(600);
    replaceFile(at('names'), 'a c');
    void reload.compare();
    await vi.advanceTimersByTimeAsync(600);
    expect(inUse()).toEqual(['a']);

    endCheck();
    await vi.advanceTimersByTimeAsync(2_000);
    await compared;

    expect(inUse()).toEqual(['a', 'c']);
    expect(swapSlow).toHaveBeenCalledOnce();
  });
});
