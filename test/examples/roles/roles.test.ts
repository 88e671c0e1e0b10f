import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { readRolesFile } from '../../../src/features/roles/file.ts';
import { startGateway } from '../../support/gateway.ts';

const FILE = 'examples/roles/roles.json';

it('the example of roles answers as its page describes', async () => {
  const page = readFileSync('examples/roles/README.md', 'utf8');
  const asked = [...page.matchAll(/^ask \$(\w+) '(.*)'$/gm)].map(([, key = '', query = '']) => ({
    key,
    query,
  }));
  const gateway = await startGateway({
    CALLER_AUTH: 'key',
    CALLER_KEYS: ['web', 'nightly']
      .map((name) => `${name}:${hash('sha256', name.toUpperCase())}`)
      .join(),
    ROLES: FILE,
    TYPED_FORMS: '*',
  });
  const answers = [];
  for (const { key, query } of asked) {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    answers.push({ status: response.status, ...((await response.json()) as object) });
  }
  await gateway.close();

  expect(answers).toMatchObject([
    { status: 200, data: { purchaseRequest: { supplier: { name: expect.any(String) } } } },
    {
      status: 200,
      data: { purchaseRequest: { requester: null } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    },
    { status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    { status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    { status: 200, data: { forms: { totalCount: 3 } } },
  ]);
});

it('the files on the pages of roles and of the call budget are taken', () => {
  const pages = ['docs/roles.md', 'docs/call-budget.md'].map((page) => readFileSync(page, 'utf8'));
  const files = [...pages.join('\n').matchAll(/```json roles\n([\s\S]*?)```/g)].map(
    ([, json = '']) => readRolesFile(JSON.parse(json), 'key'),
  );

  expect(files).toHaveLength(4);
  expect(files.filter((file) => 'problems' in file)).toEqual([]);
});
