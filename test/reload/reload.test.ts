import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';

import { createLog } from '../../src/core/log.ts';
import { createReload, type FileSet } from '../../src/reload/reload.ts';
import { writeFolder } from '../support/folder.ts';
import { replaceFile } from './support.ts';

/** Two files, as two features have them; a text that begins with `bad` is a problem. */
function openTwo({ ageMs = 0 } = {}) {
  const folder = writeFolder({ one: 'one', two: 'two' });
  const at = (name: string) => join(folder, name);
  const inUse: string[] = [];
  const state = { isFine: false, checks: 0 };
  const setOf = (name: string): FileSet<string> => ({
    name,
    paths: () => [at(name)],
    check(report) {
      state.checks++;
      const text = readFileSync(at(name), 'utf8');
      if (text.startsWith('bad') && !state.isFine) report(name, 'is bad');
      return text;
    },
    swap: (text) => void inUse.push(text),
  });
  const facts = { gauges: [], readiness: [], status: [] };
  const readAtMs = Date.now() - ageMs;
  const reload = createReload({
    readAtMs,
    secretFiles: new Map(),
    facts,
    log: createLog('silent'),
  });
  for (const name of ['one', 'two']) reload.add(setOf(name) as FileSet);
  return { at, inUse, state, reload };
}

describe('files of several owners', () => {
  it('are not checked while they stay as they are', async () => {
    const { state, reload } = openTwo();

    await reload.compare();

    expect(state.checks).toBe(0);
  });

  it('that could not be used are checked again, since the other files may change', async () => {
    const { at, inUse, state, reload } = openTwo();
    replaceFile(at('one'), 'bad one');
    await reload.compare();

    state.isFine = true;
    await reload.compare();

    expect(inUse).toEqual(['bad one']);
  });

  it('are taken once they stop changing', async () => {
    const { at, inUse, reload } = openTwo();

    replaceFile(at('one'), '1');
    const compared = reload.compare();
    for (const text of ['12', '123']) {
      await sleep(300);
      replaceFile(at('one'), text);
    }
    await compared;

    expect(inUse).toEqual(['123']);
  });

  it('that are written in place within their time and size are found by their contents', async () => {
    const { at, inUse, reload } = openTwo();
    const { atime, mtime } = statSync(at('one'));

    writeFileSync(at('one'), 'eno');
    utimesSync(at('one'), atime, mtime);
    await reload.compare();

    expect(inUse).toEqual(['eno']);
  });

  it('that changed between the reading of the settings and the first check are found', async () => {
    const { inUse, reload } = openTwo({ ageMs: 60_000 });

    await reload.compare();

    expect(inUse).toEqual(['one', 'two']);
  });

  it('wait for no other set’s check, whether it lasts or throws', async () => {
    const { at, inUse, reload } = openTwo();
    const paths = () => [at('slow')];
    const checks = [() => new Promise(() => undefined), () => Promise.reject(new Error('a fault'))];
    for (const check of checks) reload.add({ name: 'slow', paths, check, swap: vi.fn() });
    replaceFile(at('slow'), '1');
    void reload.compare();
    await sleep(1_000);

    replaceFile(at('two'), 'new two');
    void reload.compare();

    await expect.poll(() => inUse).toEqual(['new two']);
  });

  it('may be a pipe, which is read once', async () => {
    const { at, reload } = openTwo();
    const path = at('pipe');
    execFileSync('mkfifo', [path]);
    const check = vi.fn();
    reload.add({ name: 'pipe', paths: () => [path], check, swap: vi.fn() });

    await reload.compare();

    expect(check).not.toHaveBeenCalled();
  });
});
