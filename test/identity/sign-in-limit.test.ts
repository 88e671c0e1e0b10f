import { expect, it } from 'vitest';

import { executeAs, signIn, startForUsers } from './support.ts';

async function start() {
  const { url, calls } = await startForUsers({ UPSTREAM_CALLS_PER_MINUTE: '600' });
  /**
   * Signs in from an address, as a proxy on this machine names it, and returns the members of the
   * error.
   */
  const errorOf = async (address: string, userName: string, password = userName) => {
    const headers = { 'x-forwarded-for': address };
    const { errors } = await executeAs(url, signIn(userName, password), headers);
    return errors?.[0]?.extensions;
  };
  const tokens = () => calls.filter((call) => call.includes('getToken')).length;
  return { errorOf, tokens };
}

const times = <T>(count: number, run: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => run(n));

it('refuses an address after eight refused sign-ins, without a call, and lets others sign in', async () => {
  const { errorOf, tokens } = await start();

  const errors = await Promise.all(
    times(60, (n) => errorOf('203.0.113.1', `stranger-${n}`, 'wrong')),
  );

  const limited = errors.filter((error) => error?.['code'] === 'RATE_LIMITED');
  expect(errors.filter((error) => error?.['code'] === 'UNAUTHENTICATED')).toHaveLength(8);
  expect(limited).toHaveLength(52);
  expect(limited[0]?.['retryAfterMs']).toBeGreaterThan(10_000);
  expect(tokens()).toBe(8);
  expect(await errorOf('203.0.113.2', 'reader')).toBeUndefined();
});

it('takes the addresses of one IPv6 network of 64 bits for one', async () => {
  const { errorOf, tokens } = await start();

  for (let n = 0; n < 20; n++) await errorOf(`2001:db8::1:${n}:${n}:0:7`, `stranger-${n}`, 'wrong');
  await errorOf('2001:0db8:0:1::7', 'stranger', 'wrong');

  expect(tokens()).toBe(8);
  expect(await errorOf('2001:db8:0:2::7', 'reader')).toBeUndefined();
  expect(await errorOf('::ffff:203.0.113.1', 'reader')).toBeUndefined();
});

it('refuses a user name after four refused sign-ins, but where it has signed in and where nothing was refused', async () => {
  const { errorOf, tokens } = await start();
  await errorOf('203.0.113.1', 'reader');

  const wrong = await Promise.all(times(20, () => errorOf('203.0.113.2', 'reader', 'wrong')));

  expect(wrong.filter((error) => error?.['code'] === 'UNAUTHENTICATED').length).toBeLessThanOrEqual(
    8,
  );
  expect(tokens()).toBeLessThanOrEqual(9);
  expect(await errorOf('203.0.113.2', 'READER', 'wrong')).toMatchObject({ code: 'RATE_LIMITED' });
  expect(await errorOf('203.0.113.1', 'reader')).toBeUndefined();
});

it('lets many users of one address sign in at once', async () => {
  const { errorOf } = await start();
  const users = ['demo', 'reader', 'clerk'];

  const codes = await Promise.all(
    users.flatMap((name) => times(3, () => errorOf('203.0.113.1', name))),
  );

  expect(codes).toEqual(Array(9).fill(undefined));
});
