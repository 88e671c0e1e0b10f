import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { OPERATIONS } from '../../src/upstream/operations.ts';
import { fill } from '../operations/fill.ts';
import { NAMED_ROWS } from '../operations/index.ts';
import { applies, type Refused } from '../operations/row.ts';
import { startSandbox, type Variant } from './support.ts';

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const VARIANTS: readonly Variant[] = ['A', 'B'];
const rows = NAMED_ROWS.flatMap(([operation, row]) =>
  VARIANTS.map((variant) => ({ operation, variant, row })),
);

const httpDate = (atMs: number) => new Date(atMs).toUTCString();

describe.each(rows)('$operation in variant $variant', ({ operation, variant, row }) => {
  const { method, is } = OPERATIONS[operation];
  const { bad, denied, missing, broken } = row.cells;
  const isRead = is === 'read';

  /** Sends the request of the row with these headers. Creates the record that its path names. */
  async function send(headers: Record<string, string>, { path, body }: Refused = row) {
    const call = await sandbox.as();
    const filled = await fill(path ?? row.path, row, async (below, created) => {
      return (await call('POST', below, created)).text;
    });
    return sandbox.send({ method, path: filled, headers, body });
  }

  async function run(refused: Refused = row, more: Record<string, string> = {}) {
    const body = 'body' in refused ? refused.body : row.body;
    const signedIn = await sandbox.signIn(refused.user, variant);
    // Variant B sends a Content-Type only where there is a body.
    const type = body !== undefined && { 'content-type': 'application/json' };
    return send({ ...signedIn, ...more, ...type }, { ...refused, body });
  }

  it(`succeeds with ${row.success}`, async () => {
    const { status, headers, text } = await run();
    expect(status).toBe(row.success);
    expect(headers.has('last-modified')).toBe(isRead);
    expect(text === '').toBe(row.isSilent ?? false);
    expect(sandbox.answers.at(-1)).toMatchObject({ operation, status, user: 'demo' });
  });

  const condition = isRead
    ? 'answers 304 when nothing changed since, and 200 when something did'
    : 'acts whatever If-Modified-Since says, since it writes';
  it(condition, async () => {
    const since = (await run()).headers.get('last-modified') ?? httpDate(sandbox.clock.nowMs);
    const same = await run(row, { 'if-modified-since': since });
    const earlier = await run(row, { 'if-modified-since': httpDate(Date.parse(since) - 1000) });

    expect([same.status, earlier.status]).toEqual([isRead ? 304 : row.success, row.success]);
    if (isRead) expect([same.text, same.headers.get('last-modified')]).toEqual(['', since]);
  });

  for (const [status, cell] of [
    [400, bad],
    [403, denied],
    [404, missing],
    [500, broken],
  ] as const) {
    if (applies(cell)) {
      const { errorCode } = cell;
      it(`answers ${status} with ${errorCode}`, async () => {
        const answer = await run(cell);
        const violations = errorCode === 'INVALID_VALUES' ? expect.any(Array) : undefined;
        expect(answer.status).toBe(status);
        expect(answer.body).toEqual({ message: expect.any(String), errorCode, violations });
      });
    }
  }

  it('responds with 401 without a token, and with one that is forged, expired or of the other variant', async () => {
    const { authorization } = await sandbox.signIn('brief', variant);
    const token = authorization.replace('Bearer ', '');
    const missing = await send({});
    const forged = await send({ authorization: authorization.replace(token, 'made-up') });
    const other = await send({ authorization: variant === 'A' ? `Bearer ${token}` : token });
    sandbox.clock.nowMs += 2_000;
    const expired = await send({ authorization });

    const codes = [missing, forged, other, expired].map(({ body }) => body.errorCode);
    expect(codes).toEqual(['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_INVALID', 'TOKEN_EXPIRED']);
    expect(expired.status).toBe(401);
    expect(expired.body.message).toBe('The session or token has expired.');
  });

  it('responds with 403 and REQUEST_LIMIT_EXCEEDED from the limit on, with the remaining time', async () => {
    sandbox.clock.nowMs += 60_000;
    const hasty = await sandbox.signIn('hasty', variant);
    for (let request = 2; request <= 5; request++) await send(hasty);

    sandbox.clock.nowMs += 12_500;
    const { status, body, headers } = await send(hasty);

    expect([status, body.errorCode]).toEqual([403, 'REQUEST_LIMIT_EXCEEDED']);
    expect(body.message).toBe('The API request limit has been exceeded.');
    expect(headers.get('retry-after')).toBe('48');
  });
});
