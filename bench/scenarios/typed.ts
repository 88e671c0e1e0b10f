import { getIntrospectionQuery } from 'graphql';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { CALLER, type Gateway, withTestBed } from '../test-bed.ts';

const FORMS = 300;
const LIST = '{ record0s(first: 1) { nodes { field0 } } }';

/** Measures the cost of the typed graph of a large platform. */
export const typed: Benchmark = {
  name: 'typed',
  about: `types for ${FORMS} forms of 40 fields: start, first answer, memory and introspection`,
  run: () =>
    withTestBed(
      async ({ platform, startGateway }) => {
        platform.behave({ delayMs: 0 });
        const startedMs = performance.now();
        const gateway = await startGateway({ PLAYGROUND: 'on' });
        const first = await untilTyped(gateway);
        const firstMs = performance.now() - startedMs;
        const rssMb = gateway.usage().rssMb;
        const introspections = [];
        for (let time = 0; time < 4; time++)
          introspections.push(await query(gateway, getIntrospectionQuery()));
        const [once = first, , , again = first] = introspections;
        return [
          timed('ready after', gateway.readyAfterMs, 'ms'),
          timed('first typed answer after the start of the process', firstMs, 'ms', {
            atMost: 2_500,
          }),
          timed('memory of the process', rssMb, 'MB'),
          timed('introspection, the first', once.tookMs, 'ms'),
          timed('introspection, the fourth', again.tookMs, 'ms'),
          counted(
            'answers with errors',
            introspections.filter(({ isGood }) => !isGood).length,
            '',
            { atMost: 0 },
          ),
        ];
      },
      { records: FORMS },
    ),
};

/** Queries a typed field until its type exists. */
async function untilTyped(gateway: Gateway) {
  const endMs = performance.now() + 30_000;
  for (;;) {
    const answer = await query(gateway, LIST);
    if (answer.isGood) return answer;
    if (performance.now() > endMs) throw new Error('The types did not come.');
  }
}

async function query({ port }: Gateway, text: string) {
  const startedMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...CALLER },
    body: JSON.stringify({ query: text }),
  });
  const body = await response.text();
  return {
    isGood: response.status === 200 && !body.startsWith('{"errors"'),
    tookMs: performance.now() - startedMs,
  };
}
