import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';

import type { codeFor } from '../../playground/code.ts';
import { writeApplication } from '../support/application.ts';
import { shareGateway } from '../support/gateway.ts';

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

const gateway = shareGateway({ TYPED_FORMS: '*' });
let toCode: typeof codeFor;
beforeAll(async () => {
  vi.stubGlobal('document', { baseURI: `${gateway.url}/` });
  ({ codeFor: toCode } = await import('../../playground/code.ts'));
  vi.unstubAllGlobals();
});

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
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const printed = () => JSON.stringify(log.mock.calls);
  await import(join(writeApplication({ 'code.ts': code }), 'code.ts'));
  await expect.poll(printed).toContain(text);
  return printed();
}
