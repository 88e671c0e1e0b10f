import { counted, type Figure, timed } from '../benchmark.ts';
import { quantile } from '../load/quantile.ts';
import type { Client } from '../speed/client/index.ts';
import type { RequestTemplate } from '../speed/request.ts';
import { CALLER, type Gateway } from '../stage/gateway.ts';
import { processorTimeOf } from '../stage/usage.ts';

const NAMES = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `field${n}`);

/** The same list of 100 instances with eight fields each, in the words of both graphs; each request asks another page. */
const LISTS = {
  typed: `query List($page: Int!) { record0s(first: 100, page: $page) { nodes { instanceId ${NAMES.join(' ')} } } }`,
  generic: `query List($page: Int!) { instances(formId: "record0", first: 100, page: $page) { nodes { instanceId ${NAMES.map((name) => `${name}: value(field: "${name}")`).join(' ')} } } }`,
};

const BURST_MS = 1_500;
const CLIENTS = 16;
const REQUESTS_OF_A_BURST = 20_000;

const toTemplate = (query: string): RequestTemplate => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json', ...CALLER },
  body: `{"query":${JSON.stringify(query)},"variables":{"page":PAGE}}`,
});

/** Measures the processor time of both lists, in turn, so that whatever else the machine does meets both alike. */
export async function compareLists(gateway: Gateway, client: Client, rounds: number): Promise<Figure[]> {
  let bursts = 0;
  let failed = 0;
  const fire = async (query: string): Promise<number> => {
    const beforeMs = processorTimeOf(gateway.pid);
    const from = bursts++ * REQUESTS_OF_A_BURST;
    const shot = { ports: [gateway.port], template: toTemplate(query), kind: 'varying' as const, from };
    const report = await client.fire({ ...shot, clients: CLIENTS, durationMs: BURST_MS });
    failed += report.failed;
    return ((processorTimeOf(gateway.pid) - beforeMs) / report.answered) * 1_000;
  };

  for (const query of Object.values(LISTS)) await fire(query);
  const times: { readonly typed: number; readonly generic: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push({ generic: await fire(LISTS.generic), typed: await fire(LISTS.typed) });
  }
  const [typedMs, genericMs] = [
    quantile(
      times.map(({ typed }) => typed),
      0.5,
    ),
    quantile(
      times.map(({ generic }) => generic),
      0.5,
    ),
  ];
  return [
    timed('processor time of 1,000 generic lists of 100', genericMs, 'ms'),
    timed('processor time of 1,000 typed lists of 100', typedMs, 'ms'),
    timed('typed to generic', typedMs / genericMs, '', { atMost: 1.1 }),
    counted('failed requests', failed, '', { atMost: 0 }),
  ];
}
