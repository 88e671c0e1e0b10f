import { createSandbox } from '../../sandbox/index.ts';
import { readConfig, startGateway } from '../../src/app.ts';
import { createLog } from '../../src/core/log.ts';
import { createClassics, type Execute } from './classic.ts';
import type { Operation } from './operations.ts';

/** How many calls each way of answering an operation made, tokens apart. */
export interface Calls {
  /** Plain resolvers: each field reads what it needs. */
  readonly naive: number;
  /** The same with DataLoaders by id. */
  readonly loaders: number;
  /** A gateway that has read nothing before. */
  readonly cold: number;
  /** The same gateway for the third time, at once. */
  readonly warm: number;
  /** How many of the warm calls were answered by 304. */
  readonly unchanged: number;
  /** The second run of a gateway that keeps copies fresh for a day. */
  readonly fresh: number;
}

export interface Count extends Calls {
  /** Whether all of them gave the same answer, without an error. */
  readonly isAgreed: boolean;
}

/** Age of the platform's records: two changes within one second have the same date. */
const AGED_MS = 3_600_000;

/** Counts the calls of one operation at a new sandbox, with new gateways in front of it. */
export async function count({ query, variables = () => ({}) }: Operation, definitions: string): Promise<Count> {
  const statuses: number[] = [];
  let agedMs = AGED_MS;
  const sandbox = createSandbox({
    file: ':memory:',
    definitions,
    now: () => Date.now() - agedMs,
    onAnswer: ({ operation, status }) => operation !== 'getToken' && statuses.push(status),
  });
  agedMs = 0;
  const origin = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const open = (settings: Readonly<Record<string, string>> = {}) =>
    startGateway(readConfig({ ...SETTINGS, UPSTREAM_URL: origin, ...settings }), createLog('silent'));
  const gateway = await open();
  const lasting = await open(FRESH_FOR_A_DAY);
  const { naive, loaders } = await createClassics(origin);

  try {
    const [execute, executeFresh] = [executeAt(gateway.url), executeAt(lasting.url)];
    // A copy is kept when it is asked for again: the third run is the first that the platform can answer by 304.
    const ways: readonly Execute[] = [naive, loaders, execute, execute, execute, executeFresh, executeFresh];
    const counts: number[][] = [];
    const answers: string[] = [];
    for (const [turn, run] of ways.entries()) {
      statuses.length = 0;
      const { data, errors } = await run(query, variables(turn));
      counts.push([...statuses]);
      answers.push(JSON.stringify(errors ?? data));
      if (errors !== undefined) answers.push('with errors');
    }
    const [byNaive = [], byLoaders = [], cold = [], , warm = [], , fresh = []] = counts;
    return {
      naive: byNaive.length,
      loaders: byLoaders.length,
      cold: cold.length,
      warm: warm.length,
      fresh: fresh.length,
      unchanged: warm.filter((status) => status === 304).length,
      isAgreed: new Set(answers.map(withoutIds)).size === 1,
    };
  } finally {
    await gateway.close();
    await lasting.close();
    await sandbox.close();
  }
}

const FRESH_FOR_A_DAY = {
  CACHE_DEFINITIONS_MS: '86400000',
  CACHE_INSTANCES_MS: '86400000',
};

const SETTINGS = { PORT: '0', UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };

const executeAt =
  (url: string): Execute =>
  async (query, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as Awaited<ReturnType<Execute>>;
  };

/** Each deletion names another instance. */
const withoutIds = (answer: string) => answer.replace(/"deletedId":"[^"]+"/, '"deletedId":""');
