import type { Fetcher } from '@graphiql/toolkit';
import { Kind, parse } from 'graphql';

import { fill } from './fill.ts';
import { type Answer, type Asked, post } from './post.ts';
import type { RunReport } from './run-report.ts';
import { SAMPLES } from './samples/index.ts';

/**
 * Sends the explorer's operations, after giving ids to a sample that lacks them.
 *
 * An observable, not a promise, because the explorer unsubscribes when the reader stops a run or turns to another
 * tab: the request is then given up, and its answer never lands in the wrong tab.
 */
export function createFetcher(report: RunReport): Fetcher {
  return (params, options) => ({
    subscribe(observer: unknown) {
      const { next, error, complete } = observer as Observer;
      const given = new AbortController();
      const sending = { headers: options?.headers ?? {}, signal: given.signal };
      const ask = (asked: Asked) => post(asked, sending);
      const work = isIntrospection(params) ? ask(params) : run(params, ask, report);
      work.then(
        (answer) => {
          if (given.signal.aborted) return;
          next(answer);
          complete();
        },
        (reason) => {
          if (given.signal.aborted) return report.tell(undefined);
          report.tell({ state: 'failed' });
          // Not the error itself: the explorer would show its stack.
          error({ message: reason instanceof Error ? reason.message : String(reason) });
        },
      );
      return { unsubscribe: () => given.abort() };
    },
  });
}

interface Observer {
  next(answer: Answer): void;
  error(reason: unknown): void;
  complete(): void;
}

const isIntrospection = ({ operationName }: Asked) => operationName === 'IntrospectionQuery';

async function run(params: Asked, ask: (asked: Asked) => Promise<Answer>, report: RunReport): Promise<Answer> {
  const startedAtMs = performance.now();
  report.tell({ state: 'running' });
  const asked = withOwnOperationName(params);
  const sample = SAMPLES.find(({ name }) => name === asked.operationName);
  const filled = await fill(sample, asked, (query) => ask({ query }));
  const ids = filled !== undefined && 'ids' in filled ? filled.ids : undefined;
  const answer =
    filled !== undefined && 'failure' in filled
      ? filled.failure
      : await ask({ ...asked, variables: { ...asked.variables, ...ids } });
  const tookMs = performance.now() - startedAtMs;
  report.tell({ state: answer.errors === undefined ? 'answered' : 'errors', tookMs, ...(ids && { ids }) });
  return answer;
}

/**
 * The operation with a name that its document has. Right after a change of tabs the explorer still gives the last
 * tab's.
 */
function withOwnOperationName(asked: Asked): Asked {
  try {
    const names = parse(asked.query).definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value] : [],
    );
    return names.includes(asked.operationName ?? undefined) ? asked : { ...asked, operationName: names[0] };
  } catch {
    return asked;
  }
}
