import { beforeAll, describe, expect, it } from 'vitest';

import { OPERATIONS } from '../../src/upstream/operations.ts';
import { fill } from '../operations/fill.ts';
import { NAMED_ROWS } from '../operations/index.ts';
import type { Row } from '../operations/row.ts';
import { shareGateway } from '../support/gateway.ts';

const gateway = shareGateway({ CACHE_DEFINITIONS_MS: '0' });
let authorization: string;
beforeAll(async () => {
  const { headers } = await callPlatform('/token', { username: 'demo', password: 'demo' });
  authorization = headers.get('authorization') ?? '';
  await gateway.execute('{ forms { totalCount } }');
});

const callPlatform = (path: string, body: object) =>
  fetch(`${gateway.origin}/v1.0${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: JSON.stringify(body),
  });

/** Creates the record that the row's query names, and empties the list of calls. */
async function prepare(row: Row): Promise<string> {
  const filled = await fill(row.query, row, async (path, body) =>
    (await callPlatform(path, body)).text(),
  );
  gateway.calls.length = 0;
  return filled;
}

describe.each(NAMED_ROWS)('%s', (operation, row) => {
  it('is one call of the platform', async () => {
    const query = await prepare(row);

    const data = await gateway.dataOf(query.replace(', KEY', ''));

    expect(Object.values(data)).not.toContain(null);
    expect(gateway.calls).toEqual([operation]);
  });

  it.runIf(OPERATIONS[operation].is === 'change')(
    'is made once for an idempotency key',
    async () => {
      const query = (await prepare(row)).replace('KEY', `idempotencyKey: "${operation}"`);

      const answers = [
        await gateway.execute(query),
        await gateway.execute(query),
        ...(await Promise.all([1, 2].map(() => gateway.execute(query)))),
      ];

      expect(answers[0]?.errors).toBeUndefined();
      expect(new Set(answers.map(({ data }) => JSON.stringify(data)))).toHaveLength(1);
      expect(gateway.calls).toEqual([operation]);
    },
  );
});
