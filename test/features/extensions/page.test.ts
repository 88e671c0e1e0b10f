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

it('the answer about uploads has an extension that signs an address, with a store of its own', async () => {
  const questions = readFileSync(join(ROOT, 'docs/questions.md'), 'utf8');
  const [, upload = ''] = /```ts\n([\s\S]*?)```/.exec(questions) ?? [];
  const store = `export const sign = ({ key, method }) => 'https://store.example/' + key + '?' + method`;
  const { dataOf, logged } = await startExtended({ 'upload.ts': upload, 'store/sign.ts': store });

  const data = await dataOf('mutation { requestUpload(contentType: "image/png") { key url } }');

  expect(data.requestUpload.key).toMatch(/^receipts\/[\w-]{36}$/);
  expect(data.requestUpload.url).toBe(`https://store.example/${data.requestUpload.key}?PUT`);
  expect(logged().filter(({ file }) => file !== undefined)).toEqual([]);
});

describe('the page about extensions', () => {
  it('has modules that fit the graph and return the documented values, each list with one call', async () => {
    const rates = await startRateService(0);
    onTestFinished(rates.close);
    const scores = await startService(({ url = '' }) => {
      const ids = new URL(url, 'http://any').searchParams.get('ids')?.split(',') ?? [];
      return Object.fromEntries(ids.map((id) => [id, Number(id) * 10]));
    });
    vi.stubEnv('RATES_URL', rates.url);
    vi.stubEnv('SCORES_URL', scores.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { dataOf, execute, calls, logged } = await startExtended(modules);
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
    expect(Object.keys(modules)).toHaveLength(4);
    expect(logged().filter(({ file }) => file !== undefined)).toEqual([]);

    const { errors } = await execute('{ exchangeRate(currency: "XXX") }');
    const renamed = await dataOf(
      'mutation { renameAll(ids: ["1", "2"], title: "Desks") { instanceId title } }',
    );

    expect(errors).toMatchObject([{ extensions: { code: 'RATES_UNAVAILABLE', retryable: true } }]);
    const title = 'Desks';
    expect(renamed.renameAll).toEqual([
      { instanceId: '1', title },
      { instanceId: '2', title },
    ]);
  });

  it('has a test that passes', async () => {
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
