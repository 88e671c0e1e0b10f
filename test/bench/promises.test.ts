import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';

import { isPassed } from '../../bench/benchmark.ts';
import { graphqlRequest } from '../../bench/load/requests.ts';
import { countingEnvironment, countPromises, countPromoted, judgePromises } from '../../bench/speed/promises.ts';
import { WORKLOADS } from '../../bench/speed/workloads.ts';
import { withTestBed } from '../../bench/test-bed.ts';

describe('the promises that the gateway makes', () => {
  it('for each response are within the bounds of their workload', async () => {
    const figures = await withTestBed(async ({ folder, platform, startGateway }) => {
      platform.behave({ delayMs: 0 });
      const { port, pid } = await startGateway(await countingEnvironment(folder));
      const found = [];
      for (const [index, { name, isEqual, requests }] of WORKLOADS.entries()) {
        // Equal requests find what the ones before them left.
        if (isEqual && name !== 'W3') continue;
        const promises = await countPromises({ port, pid, folder }, requests.typed, index * 1_000);
        found.push(judgePromises(name, promises));
      }
      return found;
    });

    expect(figures).toHaveLength(4);
    expect(figures.filter((figure) => !isPassed([figure], true))).toEqual([]);
  }, 60_000);
});

/** Its resolver copies its context, as those do that pass it on. */
const OWN_FIELD = `export default {
  typeDefs: 'extend type Query { own: String }',
  services: { rates: { url: 'http://127.0.0.1:9' } },
  resolvers: { Query: { own: { async batch(sources, _args, context) {
    const { caller, services, platform } = { ...context };
    return sources.map(() => [caller?.name, typeof services.rates.json, typeof platform.query.forms].join());
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
  const claims = new SignJWT().setProtectedHeader({ alg: 'ES256' }).setSubject('ann').setExpirationTime('1h');
  return {
    env: { CALLER_AUTH: 'jwt', CALLER_JWT_PUBLIC_KEY: await exportSPKI(publicKey) },
    headers: { authorization: `Bearer ${await claims.sign(privateKey)}` },
  };
}

describe('a response that nothing is kept of', () => {
  it.each([
    ['a constant', '{ __typename }', async (): Promise<Setup> => ({})],
    ['a constant, for a caller with a token', '{ __typename }', setUpTokens],
    ['a field of an extension', '{ own }', setUpExtension],
  ])(
    'leaves nothing that the garbage collector takes for long-lived: %s',
    async (_about, query, setUp) => {
      const bytes = await withTestBed(async ({ folder, startGateway }) => {
        const { env, headers } = await setUp(folder);
        const { port, pid } = await startGateway({ ...(await countingEnvironment(folder)), ...env });
        return countPromoted({ port, pid, folder }, graphqlRequest(query, '{}', headers));
      });

      // What V8 compiles late on a busy machine is among them; requests that are kept would add a thousand.
      expect(bytes).toBeLessThan(600);
    },
    60_000,
  );
});
