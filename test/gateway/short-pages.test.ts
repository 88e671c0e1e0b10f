import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

describe('a platform that tells its total in a header', () => {
  it.each([
    ['X-Total-Count', '120'],
    ['Content-Range', 'instances 0-19/120'],
  ])('has it read from %s', async (name, value) => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ idInstance: index + 1, values: {} }));
    const { env, seen } = await scriptPlatform(() => ({ headers: { [name]: value }, body: rows }));
    const { execute, close } = await startGateway(env);

    const { data } = await execute('{ instances(formId: "a", first: 20) { totalCount pageInfo { hasNextPage } } }');
    await close();

    expect(data.instances).toEqual({ totalCount: 120, pageInfo: { hasNextPage: true } });
    expect(seen).toHaveLength(1);
  });
});

describe('a platform whose rows do not fit the pages that were asked for', () => {
  it('fails with what was asked, what came, and what to set, in the answer and in the log', async () => {
    const { env } = await scriptPlatform(({ url }) => {
      const perPage = Number(new URL(url, 'http://platform').searchParams.get('per-page'));
      const rows = Array.from({ length: perPage - 1 }, (_, index) => ({ idInstance: index + 1, values: {} }));
      return { body: { items: rows, total: 500 } };
    });
    const lines: string[] = [];
    const { execute, close } = await startGateway({ ...env, LOG_LEVEL: 'info' }, (line) => lines.push(line));

    const { errors } = await execute('{ instances(formId: "a", first: 20) { totalCount } }');
    await close();

    const says = /18 of the 19 rows .*list\.maxPageSize/;
    expect(errors).toMatchObject([
      { message: expect.stringMatching(says), extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
    expect(lines.find((line) => line.includes('UPSTREAM_INVALID_RESPONSE'))).toMatch(says);
  });
});
