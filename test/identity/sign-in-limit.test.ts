import { expect, it } from 'vitest';

import { executeAs, signIn, startPlatform, startWith } from './support.ts';

/** Ten sign-ins at once. */
const BUDGET = '600';

async function start() {
  const { url: UPSTREAM_URL, calls } = await startPlatform();
  const url = await startWith({
    UPSTREAM_URL,
    IDENTITY: 'user',
    UPSTREAM_CALLS_PER_MINUTE: BUDGET,
  });
  /**
   * Signs in from an address, as a proxy on this machine names it, and gives the code of the error.
   */
  const codeOf = async (address: string, userName: string, password = userName) => {
    const { errors } = await executeAs(url, signIn(userName, password), {
      'x-forwarded-for': address,
    });
    return errors?.[0]?.extensions;
  };
  const tokens = () => calls.filter((call) => call.includes('getToken')).length;
  return { codeOf, tokens };
}

const times = <T>(count: number, run: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => run(n));

it('refuses an address after eight refused sign-ins, without a call, and lets others sign in', async () => {
  const { codeOf, tokens } = await start();

  const strangers = await Promise.all(
    times(60, (n) => codeOf('203.0.113.1', `stranger-${n}`, 'wrong')),
  );

  expect(strangers.filter((error) => error?.['code'] === 'UNAUTHENTICATED')).toHaveLength(8);
  expect(strangers.filter((error) => error?.['code'] === 'RATE_LIMITED')).toHaveLength(52);
  expect(
    strangers.find((error) => error?.['code'] === 'RATE_LIMITED')?.['retryAfterMs'],
  ).toBeGreaterThan(10_000);
  expect(tokens()).toBe(8);
  expect(await codeOf('203.0.113.2', 'reader')).toBeUndefined();
});

it('takes the addresses of one IPv6 network of 64 bits for one', async () => {
  const { codeOf, tokens } = await start();

  for (let n = 0; n < 20; n++) await codeOf(`2001:db8::1:${n}:${n}:0:7`, `stranger-${n}`, 'wrong');
  await codeOf('2001:0db8:0:1::7', 'stranger', 'wrong');

  expect(tokens()).toBe(8);
  expect(await codeOf('2001:db8:0:2::7', 'reader')).toBeUndefined();
  expect(await codeOf('::ffff:203.0.113.1', 'reader')).toBeUndefined();
});

it('refuses a user name after four refused sign-ins, but where it has signed in and where nothing was refused', async () => {
  const { codeOf, tokens } = await start();
  await codeOf('203.0.113.1', 'reader');

  const wrong = await Promise.all(times(20, () => codeOf('203.0.113.2', 'reader', 'wrong')));

  expect(wrong.filter((error) => error?.['code'] === 'UNAUTHENTICATED').length).toBeLessThanOrEqual(
    8,
  );
  expect(tokens()).toBeLessThanOrEqual(9);
  expect(await codeOf('203.0.113.2', 'READER', 'wrong')).toMatchObject({ code: 'RATE_LIMITED' });
  expect(await codeOf('203.0.113.1', 'reader')).toBeUndefined();
});

it('lets many users of one address sign in at once', async () => {
  const { codeOf } = await start();
  const users = ['demo', 'reader', 'clerk'];

  const codes = await Promise.all(
    users.flatMap((name) => times(3, () => codeOf('203.0.113.1', name))),
  );

  expect(codes).toEqual(Array(9).fill(undefined));
});
