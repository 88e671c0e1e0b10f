import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';

import type { codeFor } from '../../playground/code.ts';
import { writeFolder } from '../support/folder.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const CLIENTS = ['fetch', 'caseway/client', 'Apollo Client', 'urql'] as const;
const LIST = {
  query:
    'query List($first: Int) { suppliers(first: $first) { nodes { id name } } }\nquery B { b }',
  operationName: 'List',
  variables: { first: 1 },
};
const CREATE = {
  query: `mutation Create($country: SupplierCountry!) {
    createSupplier(input: { values: { name: "A \`\${tick}\` \\\\ \\"quote\\"", country: $country, active: true } }) {
      instance { id name }
    }
  }`,
  variables: { country: 'DE' },
};

let gateway: TestGateway;
let toCode: typeof codeFor;
beforeAll(async () => {
  gateway = await startGateway({ TYPED_FORMS: '*' });
  vi.stubGlobal('document', { baseURI: `${gateway.url}/` });
  ({ codeFor: toCode } = await import('../../playground/code.ts'));
  vi.unstubAllGlobals();
});
afterAll(() => gateway.close());

it.each(CLIENTS)('the playground’s code for %s runs a query and a mutation', async (client) => {
  const listed = await runCode(toCode(client, LIST, ['x-extra']), '"suppliers"');
  const created = await runCode(toCode(client, CREATE, []), '"createSupplier"');

  expect(listed).toMatch(/"id":"\w+/);
  expect(created).toContain(JSON.stringify(`A \`\${tick}\` \\ "quote"`));
});

it('the playground’s code for a subscription prints a refusal', async () => {
  const query = 'subscription { unknown }';

  expect(await runCode(toCode('caseway/client', { query }, []), 'unknown')).toContain('"errors"');
});

/** Runs code as a module, and returns its first output with a text. */
async function runCode(code: string, text: string): Promise<string> {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((value: unknown) => {
    printed.push(JSON.stringify(value));
  });
  onTestFinished(() => log.mockRestore());
  const folder = writeFolder({ 'code.ts': code });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
  await import(join(folder, 'code.ts'));
  await expect.poll(() => printed.join()).toContain(text);
  log.mockRestore();
  return printed.join();
}
