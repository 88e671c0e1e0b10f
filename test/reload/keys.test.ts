import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { subscribe } from '../features/live/support.ts';
import { writeFolder } from '../support/folder.ts';
import { KEYS, keyEntries, replaceFile, startReloading, writeFiles } from './support.ts';

const LIST = 'subscription { instances(formId: "supplier") { totalCount } }';
const [WEB, MOBILE, PARTNER] = KEYS;

/** A gateway with files of the test's own. */
async function startWithFiles(env: Readonly<Record<string, string>> = {}) {
  const files = writeFiles();
  const gateway = await startReloading({ ...files.env, ...env });
  const statuses = async () => Promise.all(KEYS.map(gateway.status));
  return { ...gateway, ...files, statuses };
}

describe('a key file that changes', () => {
  it('lets in a key that came, and refuses one that is gone, at SIGHUP', async () => {
    const { at, status, reload } = await startWithFiles();
    expect(await status('new')).toBe(401);

    replaceFile(at('keys'), keyEntries(WEB, PARTNER, 'new'));
    await reload('RELOADED');

    expect(await Promise.all([WEB, MOBILE, 'new'].map(status))).toEqual([200, 401, 200]);
  });

  it('is read again within ten seconds without a signal', async () => {
    const { at, status } = await startWithFiles();

    replaceFile(at('keys'), keyEntries(WEB));
    const began = performance.now();
    await expect.poll(() => status(MOBILE)).toBe(401);

    // The second after the ten is longer on a busy machine.
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await status(WEB)).toBe(200);
  });

  it('ends the streams of a key that is gone within a second, and no others', async () => {
    const { url, at, hangUp } = await startWithFiles();
    const open = (key: string) => subscribe(url, LIST, { headers: { 'x-api-key': key } });
    const [web, mobile] = await Promise.all([open(WEB), open(MOBILE)]);
    await Promise.all([web.next(), mobile.next()]);

    replaceFile(at('keys'), keyEntries(WEB));
    hangUp();
    const began = performance.now();

    expect(await mobile.ended).not.toContain('event: complete');
    // A second; a busy machine takes longer, but not as long as from one look at the files to the next.
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await Promise.race([web.ended, 'open'])).toBe('open');
  });

  it('revokes a key while all other files are broken', async () => {
    const { at, status, reload, metric } = await startWithFiles();

    replaceFile(at('documents/count.graphql'), '{ forms { to');
    replaceFile(at('keys'), keyEntries(WEB, 'new'));
    await reload('RELOAD_FAILED');

    await expect.poll(() => Promise.all([WEB, MOBILE, 'new'].map(status))).toEqual([200, 401, 200]);
    expect(await metric()).toBe('1');
    replaceFile(at('documents/count.graphql'), '{ forms { totalCount } }');
    await reload('RELOADED');
    expect(await Promise.all([WEB, MOBILE, 'new'].map(status))).toEqual([200, 401, 200]);
    expect(await metric()).toBe('0');
  });

  it.each([
    ['is empty', ''],
    ['is cut inside an entry', keyEntries(...KEYS).slice(0, -30)],
    ['has one key under two names', `${keyEntries(WEB)}other:${keyEntries(WEB).slice(4)}`],
  ])('changes nothing where it %s', async (_what, text) => {
    const { at, statuses, reload, lines, page, metric } = await startWithFiles();

    replaceFile(at('keys'), text);
    await reload('RELOAD_FAILED');

    expect(await statuses()).toEqual([200, 200, 200]);
    expect(await metric()).toBe('1');
    expect(await page()).toMatch(/not in use/);
    const [failed, ...others] = lines.filter(({ level }) => level === 50);
    expect(others).toEqual([]);
    expect(failed?.problems?.every((problem) => problem.includes(at('keys')))).toBe(true);
  });

  it('changes nothing where it is gone, and says so once', async () => {
    const { at, statuses, reload, hangUp, codes } = await (async () => {
      const started = await startWithFiles();
      return { ...started, codes: () => started.lines.flatMap(({ code }) => code ?? []) };
    })();

    rmSync(at('keys'));
    await reload('RELOAD_FAILED');
    hangUp();
    replaceFile(at('keys'), keyEntries(...KEYS));
    await reload('RELOADED');

    expect(await statuses()).toEqual([200, 200, 200]);
    expect(codes()).toEqual(['RELOAD_FAILED', 'RELOADED']);
  });

  it('lets nobody in where it is the word none', async () => {
    const { at, statuses, reload } = await startWithFiles();

    replaceFile(at('keys'), 'none\n');
    await reload('RELOADED');

    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it('is found where a link above it is swapped, as Kubernetes does', async () => {
    const folder = writeFolder({ '..1/keys': keyEntries(WEB, MOBILE) });
    const at = (name: string) => join(folder, name);
    symlinkSync('..1', at('..data'));
    symlinkSync('..data/keys', at('keys'));
    const { status, reload } = await startReloading({ CALLER_AUTH: 'key', CALLER_KEYS_FILE: at('keys') });

    mkdirSync(at('..2'));
    writeFileSync(at('..2/keys'), keyEntries(WEB, PARTNER));
    symlinkSync('..2', at('..data_tmp'));
    renameSync(at('..data_tmp'), at('..data'));
    await reload('RELOADED');

    expect(readlinkSync(at('..data'))).toBe('..2');
    expect(await Promise.all([WEB, MOBILE, PARTNER].map(status))).toEqual([200, 401, 200]);
  });
});

describe('a key with two entries of one caller', () => {
  it('is rotated without a refused request', async () => {
    const entry = (key: string) => `web:${keyEntries(key).split(':')[1]}`;
    const { url, at, status, reload } = await startWithFiles();
    replaceFile(at('keys'), entry('web') + entry('later'));
    await reload('RELOADED');
    expect(await Promise.all(['web', 'later'].map(status))).toEqual([200, 200]);
    const stream = await subscribe(url, LIST, { headers: { 'x-api-key': 'later' } });
    await stream.next();

    replaceFile(at('keys'), entry('later'));
    await reload('RELOADED');

    expect(await Promise.all(['web', 'later'].map(status))).toEqual([401, 200]);
    expect(await Promise.race([stream.ended, 'open'])).toBe('open');
  });
});
