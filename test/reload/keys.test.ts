import { hash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { subscribe } from '../features/live/support.ts';
import { writeFolder } from '../support/folder.ts';
import {
  ENDS_WITHIN_MS,
  KEYS,
  keyEntries,
  replaceFile,
  startReloading,
  writeFiles,
} from './support.ts';

const LIST = 'subscription { instances(formId: "supplier") { totalCount } }';
const [WEB, MOBILE, PARTNER] = KEYS;

/** A gateway with files of the test's own. */
async function startWithFiles() {
  const files = writeFiles();
  const gateway = await startReloading(files.env);
  const statuses = async () => Promise.all(KEYS.map(gateway.status));
  return { ...gateway, ...files, statuses };
}

describe('a key file that changes', () => {
  it('accepts added keys and refuses removed keys, whose streams end within a second', async () => {
    // The caller `web` has two keys, as while one is rotated.
    const later = `web:${hash('sha256', 'later', 'hex')}\n`;
    const { at, env } = writeFiles();
    replaceFile(at('keys'), keyEntries(WEB, MOBILE) + later);
    const { url, status, hangUp } = await startReloading(env);
    const keys = [WEB, 'later', MOBILE, 'new'];
    expect(await Promise.all(keys.map(status))).toEqual([200, 200, 200, 401]);
    const open = (key: string) => subscribe(url, LIST, { headers: { 'x-api-key': key } });
    const [gone, kept] = await Promise.all([open(MOBILE), open('later')]);
    await Promise.all([gone.next(), kept.next()]);

    replaceFile(at('keys'), keyEntries('new') + later);
    hangUp();
    const began = performance.now();

    expect(await gone.ended).not.toContain('event: complete');
    expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
    expect(await Promise.all(keys.map(status))).toEqual([401, 200, 401, 200]);
    expect(await Promise.race([kept.ended, 'open'])).toBe('open');
  });

  it('is read again each ten seconds without a signal', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { at, status } = await startWithFiles();

    replaceFile(at('keys'), keyEntries(WEB));
    vi.advanceTimersByTime(10_000);
    // Polling would move it on.
    vi.useRealTimers();

    await expect.poll(() => status(MOBILE)).toBe(401);
    expect(await status(WEB)).toBe(200);
  });

  it('revokes a key while all other files are broken', async () => {
    const { at, status, reload, metric } = await startWithFiles();
    const statuses = () => Promise.all([WEB, MOBILE, 'new'].map(status));

    replaceFile(at('documents/count.graphql'), '{ forms { to');
    replaceFile(at('keys'), keyEntries(WEB, 'new'));
    await reload('RELOAD_FAILED');

    await expect.poll(statuses).toEqual([200, 401, 200]);
    expect(await metric()).toBe('1');
    replaceFile(at('documents/count.graphql'), '{ forms { totalCount } }');
    await reload('RELOADED');
    expect([await statuses(), await metric()]).toEqual([[200, 401, 200], '0']);
  });

  const NOT_IN_USE = 'Changed files that are not in use';
  const IN_PART = 'Changed files in use in part';

  it.each([
    ['nothing if it is empty', '', 'RELOAD_FAILED', [200, 200, 200], NOT_IN_USE],
    ['nothing if it has only comments', '# no key\n', 'RELOAD_FAILED', [200, 200, 200], NOT_IN_USE],
    [
      'what is readable if it is cut',
      `# web and mobile\n${keyEntries(...KEYS).slice(0, -30)}`,
      'RELOAD_FAILED',
      [200, 200, 401],
      IN_PART,
    ],
    [
      'what is readable if a key is there twice',
      `${keyEntries(WEB)}other:${keyEntries(WEB).slice(4)}`,
      'RELOAD_FAILED',
      [200, 401, 401],
      IN_PART,
    ],
    ['all keys if it is the word "none"', 'none\n', 'RELOADED', [401, 401, 401], undefined],
  ] as const)('changes %s', async (_what, text, code, expected, shown) => {
    const { at, statuses, reload, logged, page, metric } = await startWithFiles();

    replaceFile(at('keys'), text);
    await reload(code);

    const isFailed = code === 'RELOAD_FAILED';
    expect(await statuses()).toEqual(expected);
    expect(await metric()).toBe(isFailed ? '1' : '0');
    expect(/Changed files [a-z ]+/.exec(await page())?.[0]).toBe(shown);
    const failures = logged().filter(({ level }) => level === 50);
    expect(failures).toHaveLength(isFailed ? 1 : 0);
    for (const problem of failures.flatMap(({ problems }) => problems ?? []))
      expect(problem).toContain(at('keys'));
  });

  it('changes nothing if it is deleted, and reports that once', async () => {
    const { at, statuses, reload, hangUp, codes, metric } = await startWithFiles();

    rmSync(at('keys'));
    await reload('RELOAD_FAILED');
    hangUp();
    replaceFile(at('keys'), keyEntries(...KEYS));
    await reload('RELOADED');

    expect(await statuses()).toEqual([200, 200, 200]);
    expect(codes()).toEqual(['RELOAD_FAILED', 'RELOADED']);
    expect(await metric()).toBe('0');
  });

  it('is found where a link above it is swapped, as Kubernetes does', async () => {
    const folder = writeFolder({ '..1/keys': keyEntries(WEB, MOBILE) });
    const at = (name: string) => join(folder, name);
    symlinkSync('..1', at('..data'));
    symlinkSync('..data/keys', at('keys'));
    const { status, reload } = await startReloading({
      CALLER_AUTH: 'key',
      CALLER_KEYS_FILE: at('keys'),
    });

    mkdirSync(at('..2'));
    writeFileSync(at('..2/keys'), keyEntries(WEB, PARTNER));
    symlinkSync('..2', at('..data_tmp'));
    renameSync(at('..data_tmp'), at('..data'));
    await reload('RELOADED');

    expect(await Promise.all([WEB, MOBILE, PARTNER].map(status))).toEqual([200, 401, 200]);
  });
});
