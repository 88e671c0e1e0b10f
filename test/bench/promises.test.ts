import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { graphqlRequest } from '../../bench/load/requests.ts';
import { WORKLOADS } from '../../bench/speed/workloads.ts';
import { withTestBed } from '../../bench/test-bed.ts';
import { keySetUrl } from '../support/key-set.ts';
import { countingEnvironment, countPromises, countPromoted } from './support/promises.ts';

/**
 * How many promises a response takes at most, by workload: a count shows layers, and is the same on
 * every machine.
 */
const AT_MOST: Readonly<Record<string, number>> = { W1: 100, W2: 36, W3: 8, W4: 40 };

it('the number of promises for each response is within the bounds of its workload', async () => {
  const counts = await withTestBed(async ({ folder, platform, startGateway }) => {
    platform.behave({ delayMs: 0 });
    const { port, pid } = await startGateway(await countingEnvironment(folder));
    const found: Record<string, number> = {};
    for (const [index, { name, requests }] of WORKLOADS.entries()) {
      if (name in AT_MOST)
        found[name] = await countPromises({ port, pid, folder }, requests.typed, index * 1_000);
    }
    return found;
  });

  const exceeded = Object.entries(AT_MOST).filter(
    ([name, atMost]) => (counts[name] ?? Infinity) > atMost,
  );
  expect(exceeded, JSON.stringify(counts)).toEqual([]);
}, 60_000);

/** Its resolver copies its context, as those do that pass it on. */
const OWN_FIELD = `export default {
  typeDefs: 'extend type Query { own: String }',
  resolvers: { Query: { own: { calls: 1, async batch(sources, _args, context) {
    const { caller, query, fetch } = { ...context };
    return sources.map(() => [caller?.name, typeof query, typeof fetch].join());
  } } } },
};`;

interface Setup {
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

async function setUpExtension(folder: string): Promise<Setup> {
  const file = join(folder, 'own.js');
  writeFileSync(file, OWN_FIELD);
  return { env: { EXTENSIONS: file } };
}

async function setUpTokens(): Promise<Setup> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const claims = new SignJWT()
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject('ann')
    .setExpirationTime('1h');
  return {
    env: { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: await keySetUrl(publicKey) },
    headers: { authorization: `Bearer ${await claims.sign(privateKey)}` },
  };
}

it.each([
  ['a constant', '{ __typename }', async (): Promise<Setup> => ({})],
  ['a constant, for a caller with a token', '{ __typename }', setUpTokens],
  ['a field of an extension', '{ own }', setUpExtension],
])(
  'a response without cached parts leaves nothing in old space: %s',
  async (_about, query, setUp) => {
    const bytes = await withTestBed(async ({ folder, startGateway }) => {
      const { env, headers } = await setUp(folder);
      const { port, pid } = await startGateway({ ...(await countingEnvironment(folder)), ...env });
      return countPromoted({ port, pid, folder }, graphqlRequest(query, '{}', headers));
    });

    // Some 600 to 800 are what is in flight when the image's young space of 8 MB is collected, and
    // what V8 compiles late; requests that are kept would add a thousand.
    expect(bytes).toBeLessThan(1_200);
  },
  60_000,
);
