import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getIntrospectionQuery } from 'graphql';

import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { quantile } from '../load/quantile.ts';
import { startClient } from '../speed/client/index.ts';
import { CALLER, type Gateway, startGateway } from '../stage/gateway.ts';
import { freePort } from '../stage/index.ts';
import { type Composition, measureComposition } from './composition.ts';
import { compareLists } from './lists.ts';
import { startFormPlatform } from './platform.ts';

const FORMS = 300;
const FIELDS = 40;

/** What the typed graph of a large platform takes: time at the start, memory, and the time of a list. */
export const typed: Benchmark = {
  name: 'typed',
  about: `types for ${FORMS} forms of ${FIELDS} fields: composing, starting, memory, introspection, and a list beside the generic one`,
  async run({ isShort }) {
    const folder = mkdtempSync(join(tmpdir(), 'caseway-typed-'));
    const platform = await startFormPlatform(FORMS, FIELDS);
    const gateways: Gateway[] = [];
    const open = async (env: Readonly<Record<string, string>>) => {
      const options = { port: await freePort(), upstreamUrl: platform.url, folder };
      const gateway = await startGateway({ ...options, env: { PLAYGROUND: 'on', ...env } });
      gateways.push(gateway);
      return gateway;
    };
    const client = startClient();
    try {
      return [
        ...(await composing(isShort ? 2 : 5)),
        ...(await starting(open)),
        ...(await compareLists(await open({ TYPED_GRAPH: 'on' }), client, isShort ? 2 : 9)),
      ];
    } finally {
      client.close();
      await Promise.all(gateways.map((gateway) => gateway.stop('SIGKILL')));
      platform.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function composing(times: number): Promise<Figure[]> {
  const found: Composition[] = [];
  for (let time = 0; time < times; time++) found.push(await measureComposition(FORMS, FIELDS));
  const median = (pick: (composition: Composition) => number) => quantile(found.map(pick), 0.5);
  return [
    timed(
      'composed at a start, median',
      median(({ firstMs }) => firstMs),
      'ms',
      { atMost: 400 },
    ),
    timed(
      'composed again, median',
      median(({ againMs }) => againMs),
      'ms',
    ),
    counted(
      'memory of the schema',
      median(({ heapMb }) => heapMb),
      'MB',
      { atMost: 60 },
    ),
    counted(
      'types',
      median(({ types }) => types),
      '',
    ),
  ];
}

type Open = (env: Readonly<Record<string, string>>) => Promise<Gateway>;

async function starting(open: Open): Promise<Figure[]> {
  const generic = await open({ TYPED_GRAPH: 'off' });
  const startedMs = performance.now();
  const typedOne = await open({ TYPED_GRAPH: 'on' });
  const first = await ask(typedOne, '{ record0s(first: 1) { nodes { field0 } } }');
  const firstMs = performance.now() - startedMs;
  await ask(generic, '{ instances(formId: "record0", first: 1) { nodes { values } } }');
  const moreMb = typedOne.usage().rssMb - generic.usage().rssMb;

  const introspections = [];
  for (let time = 0; time < 4; time++) introspections.push(await ask(typedOne, getIntrospectionQuery()));
  const [once = first, , , again = first] = introspections;
  await Promise.all([generic.stop(), typedOne.stop()]);
  return [
    timed('first typed answer after the start of the process', firstMs, 'ms', { atMost: 2_500 }),
    timed('memory of the process more than without types', moreMb, 'MB'),
    timed('introspection, the first', once.tookMs, 'ms'),
    timed('introspection, the fourth', again.tookMs, 'ms'),
    counted('answers with errors', [first, ...introspections].filter(({ isGood }) => !isGood).length, '', {
      atMost: 0,
    }),
  ];
}

async function ask({ port }: Gateway, query: string) {
  const startedMs = performance.now();
  const headers = { 'content-type': 'application/json', ...CALLER };
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  const text = await response.text();
  return { isGood: response.status === 200 && !text.startsWith('{"errors"'), tookMs: performance.now() - startedMs };
}
