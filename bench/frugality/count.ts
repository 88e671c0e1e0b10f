import { createSandbox } from '../../sandbox/index.ts';
import { readConfig, startGateway } from '../../src/app/index.ts';
import { createLog } from '../../src/core/log.ts';
import { createClassics, type Execute } from './classic.ts';
import type { Operation } from './operations.ts';

/** The number of calls for one operation in each setup, without calls for tokens. */
export interface Calls {
  /** Plain resolvers: each field reads its own data. `null` if they lack the fields. */
  readonly naive: number | null;
  /** The same with DataLoaders by id. */
  readonly loaders: number | null;
  /** A gateway that has read nothing yet. */
  readonly cold: number;
  /** The third run at the same gateway, immediately. */
  readonly warm: number;
  /** The number of warm calls that the platform answered with 304. */
  readonly unchanged: number;
  /** The second run at a gateway whose cached copies stay fresh for a day. */
  readonly fresh: number;
}

export interface Count extends Calls {
  /** Whether all setups gave the same answer without an error. */
  readonly isAgreed: boolean;
}

/** The age of the platform's records. Two changes within one second would have the same date. */
const AGED_MS = 3_600_000;

/** Counts the calls of one operation at a new sandbox with new gateways in front of it. */
export async function count(
  { query, variables = () => ({}), isTyped }: Operation,
  definitions: string,
): Promise<Count> {
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
    startGateway(
      readConfig({ ...SETTINGS, UPSTREAM_URL: origin, ...settings }),
      createLog('silent'),
    );
  const gateway = await open();
  const lasting = await open(FRESH_FOR_A_DAY);
  const { naive, loaders } = await createClassics(origin);

  try {
    const [execute, executeFresh] = [executeAt(gateway.url), executeAt(lasting.url)];
    // The gateway caches a response when it is requested again, so the third run is the first that
    // the platform can answer with 304.
    const ways: readonly (Execute | undefined)[] = [
      isTyped ? undefined : naive,
      isTyped ? undefined : loaders,
      execute,
      execute,
      execute,
      executeFresh,
      executeFresh,
    ];
    const counts: number[][] = [];
    const answers: string[] = [];
    for (const [turn, run] of ways.entries()) {
      statuses.length = 0;
      const answer = await run?.(query, variables(turn));
      counts.push([...statuses]);
      if (answer) answers.push(JSON.stringify(answer.errors ?? answer.data));
      if (answer?.errors) answers.push('with errors');
    }
    const [byNaive = [], byLoaders = [], cold = [], , warm = [], , fresh = []] = counts;
    return {
      naive: isTyped ? null : byNaive.length,
      loaders: isTyped ? null : byLoaders.length,
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

/** Removes deleted ids: each run deletes another instance. */
const withoutIds = (answer: string) => answer.replace(/"deletedId":"[^"]+"/, '"deletedId":""');
