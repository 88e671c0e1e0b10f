import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { startRateService } from '../../../examples/extension/rate-service.ts';
import { writeFolder } from '../../support/folder.ts';
import { startExtended, startService } from './support/start.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/extensions.md'), 'utf8');
/** The files that the page shows, by the path in their first line. */
const files = Object.fromEntries(
  [...page.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, path = '', code = '']) => [
    path,
    code,
  ]),
);
const modules = Object.fromEntries(
  Object.entries(files).flatMap(([path, code]) => {
    const [, name] = /^extensions\/(.*)$/.exec(path) ?? [];
    return name === undefined ? [] : [[name, code]];
  }),
);

async function startPage() {
  const rates = await startRateService(0);
  onTestFinished(rates.close);
  const scores = await startService(({ url = '' }) => {
    const ids = new URL(url, 'http://any').searchParams.get('ids')?.split(',') ?? [];
    return Object.fromEntries(ids.map((id) => [id, Number(id) * 10]));
  });
  vi.stubEnv('RATES_URL', rates.url);
  vi.stubEnv('SCORES_URL', scores.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { ...(await startExtended(modules)), scores };
}

describe('the page about extensions', () => {
  it('has modules that all fit the graph', async () => {
    const { logged } = await startPage();

    expect(Object.keys(modules).sort()).toEqual([
      'rates.ts',
      'renaming.ts',
      'requests.ts',
      'scores.ts',
    ]);
    expect(logged().filter(({ file }) => file !== undefined)).toEqual([]);
  });

  it('has fields that return the documented values, each list with one call', async () => {
    const { dataOf, calls, scores } = await startPage();
    calls.length = 0;

    const data = await dataOf(`{
      purchaseRequests(first: 50) { nodes { title createdAt ageDays label supplier { instanceId name score } } }
      exchangeRate(currency: "USD")
    }`);

    expect(data.exchangeRate).toBe('1.08');
    for (const { title, createdAt, ageDays, label, supplier } of data.purchaseRequests.nodes) {
      expect(ageDays).toBe(Math.floor((Date.now() - Date.parse(createdAt)) / 86_400_000));
      expect(label).toBe(`${title} (${supplier?.name ?? 'no supplier'})`);
      if (supplier) expect(supplier.score).toBe(Number(supplier.instanceId) * 10);
    }
    expect(calls).toEqual(['getFormIntances', 'getFormIntances']);
    expect(scores.calls).toHaveLength(1);
  });

  it('has a service whose failure has a code, and a mutation of several changes', async () => {
    const { execute } = await startPage();

    const rate = await execute('{ exchangeRate(currency: "XXX") }');
    const renamed = await execute(
      'mutation { renameAll(ids: ["1", "2"], title: "Desks") { instanceId title } }',
    );

    expect(rate.errors).toMatchObject([
      { extensions: { code: 'RATES_UNAVAILABLE', retryable: true } },
    ]);
    expect(renamed.errors).toBeUndefined();
    expect(renamed.data.renameAll).toEqual(
      ['1', '2'].map((instanceId) => ({ instanceId, title: 'Desks' })),
    );
  });

  it('has a test that passes', { timeout: 60_000 }, async () => {
    const folder = writeFolder({
      ...files,
      'package.json': '{"type":"module"}',
      'node_modules/.keep': '',
    });
    symlinkSync(ROOT, join(folder, 'node_modules/caseway'));

    const child = spawn(
      process.execPath,
      ['-C', 'caseway-source', '--test', 'test/requests.test.ts'],
      { cwd: folder },
    );
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);

    expect(code, printed).toBe(0);
    expect(printed).toContain('a request says who supplies it');
  });
});
