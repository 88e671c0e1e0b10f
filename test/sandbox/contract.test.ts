import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { OPERATIONS } from '../../src/upstream/operations.ts';
import { fill } from '../operations/fill.ts';
import { NAMED_ROWS } from '../operations/index.ts';
import { applies, type Refused, type Row } from '../operations/row.ts';
import { startSandbox, type Variant } from './support.ts';

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const VARIANTS: readonly Variant[] = ['A', 'B'];
const rows = NAMED_ROWS.flatMap(([operation, row]) => {
  const { method, is } = OPERATIONS[operation];
  const contract = { ...row, method, isRead: is === 'read' };
  return VARIANTS.map((variant) => ({ operation, variant, contract }));
});
type Contract = Row & { readonly method: string; readonly isRead: boolean };

/** Creates the record that a path names. */
async function prepare(contract: Contract, path = contract.path): Promise<string> {
  const call = await sandbox.as('demo');
  return fill(path, contract, async (below, body) => (await call('POST', below, body)).text);
}

async function run(
  contract: Contract,
  variant: Variant,
  row: Refused & { headers?: Record<string, string> } = {},
) {
  const path = await prepare(contract, row.path);
  const headers = { ...(await sandbox.signIn(row.user, variant)), ...row.headers };
  const body = 'body' in row ? row.body : contract.body;
  // Variant B sends a Content-Type only where there is a body.
  const typed = body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  return sandbox.send({ method: contract.method, path, headers: typed, body });
}

const errorBody = (errorCode: string | undefined) => ({
  message: expect.any(String),
  errorCode,
  violations: errorCode === 'INVALID_VALUES' ? expect.any(Array) : undefined,
});

const httpDate = (atMs: number) => new Date(atMs).toUTCString();

const unread = async (contract: Contract, headers: Record<string, string>) =>
  sandbox.send({
    method: contract.method,
    path: await prepare(contract),
    headers,
    body: contract.body,
  });

describe.each(rows)('$operation in variant $variant', ({ operation, variant, contract }) => {
  const { bad, denied, missing, broken } = contract.cells;

  it(`succeeds with ${contract.success}`, async () => {
    const { status, headers, text } = await run(contract, variant);
    expect(status).toBe(contract.success);
    expect(headers.has('last-modified')).toBe(contract.isRead);
    expect(text === '').toBe(contract.isSilent ?? false);
    expect(sandbox.answers.at(-1)).toMatchObject({ operation, status, user: 'demo' });
  });

  const condition = contract.isRead
    ? 'answers 304 when nothing changed since, and 200 when something did'
    : 'acts whatever If-Modified-Since says, since it writes';
  it(condition, async () => {
    const since =
      (await run(contract, variant)).headers.get('last-modified') ?? httpDate(sandbox.clock.nowMs);
    const same = await run(contract, variant, { headers: { 'if-modified-since': since } });
    const earlier = { 'if-modified-since': httpDate(Date.parse(since) - 1000) };

    expect(same.status).toBe(contract.isRead ? 304 : contract.success);
    if (contract.isRead)
      expect([same.text, same.headers.get('last-modified')]).toEqual(['', since]);
    expect((await run(contract, variant, { headers: earlier })).status).toBe(contract.success);
  });

  for (const [status, cell] of [
    [400, bad],
    [403, denied],
    [404, missing],
    [500, broken],
  ] as const) {
    const isDue = applies(cell);
    it(
      isDue ? `answers ${status} with ${cell.errorCode}` : `has no ${status}: ${cell.not}`,
      async () => {
        const answer = await run(contract, variant, isDue ? cell : {});
        const body = isDue ? errorBody(cell.errorCode) : answer.body;
        expect([answer.status, answer.body]).toEqual([isDue ? status : contract.success, body]);
      },
    );
  }

  it('responds with 401 without a token, and with one that is forged, expired or of the other variant', async () => {
    const { authorization } = await sandbox.signIn('brief', variant);
    const token = authorization.replace('Bearer ', '');
    const other = variant === 'A' ? `Bearer ${token}` : token;

    const codes = [];
    codes.push((await unread(contract, {})).body.errorCode);
    codes.push(
      (await unread(contract, { authorization: authorization.replace(token, 'made-up') })).body
        .errorCode,
    );
    codes.push((await unread(contract, { authorization: other })).body.errorCode);
    sandbox.clock.nowMs += 2_000;
    const expired = await unread(contract, { authorization });
    codes.push(expired.body.errorCode);

    expect(codes).toEqual(['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_INVALID', 'TOKEN_EXPIRED']);
    expect([expired.status, expired.body.message]).toEqual([
      401,
      'The session or token has expired.',
    ]);
  });

  it('responds with 403 and REQUEST_LIMIT_EXCEEDED from the limit on, with the remaining time', async () => {
    sandbox.clock.nowMs += 60_000;
    const headers = await sandbox.signIn('hasty', variant);
    for (let request = 2; request <= 5; request++) await unread(contract, headers);

    sandbox.clock.nowMs += 12_500;
    const { status, body, headers: answered } = await unread(contract, headers);
    expect([status, body.errorCode, body.message]).toEqual([
      403,
      'REQUEST_LIMIT_EXCEEDED',
      'The API request limit has been exceeded.',
    ]);
    expect(answered.get('retry-after')).toBe('48');
  });
});
