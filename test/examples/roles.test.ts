import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { readRolesFile } from '../../src/features/roles/file.ts';
import { PACKAGES } from '../support/application.ts';
import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

const FOLDER = join(import.meta.dirname, '../../examples/roles');

it('the example of roles answers as its page describes', async () => {
  const page = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const keys = ['web', 'nightly'].map((name) => `${name}:${hash('sha256', name.toUpperCase())}`);
  const env = {
    PORT: '0',
    SANDBOX_FILE: ':memory:',
    CALLER_AUTH: 'key',
    CALLER_KEYS: keys.join(),
    ROLES: 'roles.json',
  };
  const { addresses } = runMain([], env, FOLDER, join(PACKAGES, 'caseway/caseway.mjs'));
  const { url } = await addresses();

  const responses = [];
  for (const [, key, query] of page.matchAll(/^ask \$(\w+) '(.*)'$/gm))
    responses.push(await postGraphql(url, { query }, { 'x-api-key': key }));

  expect(responses).toMatchObject([
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
