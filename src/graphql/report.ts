import { GraphQLError } from 'graphql';

import { InputError, UpstreamError } from '../core/errors.ts';
import { describeError, type Log } from '../core/log.ts';
import type { Observer, OperationReport } from '../core/observers.ts';
import type { OperationContext } from './context.ts';
import { isUnexpected, messageWithoutValues } from './errors.ts';

/** An operation's name is the client's to choose, so only this much of it is kept. */
const MAX_NAME_LENGTH = 100;
const MAX_SUBJECT_LENGTH = 200;

/** Reports an operation that was answered or refused. */
export function reportOperation(
  context: OperationContext,
  { name, kind }: Pick<OperationReport, 'name' | 'kind'>,
  { errors, codes, hasData }: Pick<OperationReport, 'errors' | 'codes'> & { readonly hasData: boolean },
): OperationReport {
  const { work, startedAtMs } = context;
  const { calls: upstreamCalls, extensionCalls, coalesced, notModified: not_modified, fresh, stale } = work;
  return {
    ...namesOf(context, name),
    kind,
    outcome: errors.length === 0 ? 'ok' : hasData ? 'partial' : 'failed',
    codes: [...new Set(codes)],
    errors,
    durationMs: performance.now() - startedAtMs,
    upstreamCalls,
    extensionCalls: extensionCalls.length,
    savings: { coalesced, not_modified, fresh, stale: stale.length },
  };
}

/** The name of an operation, and of those who ask for it. */
export const namesOf = ({ client, scope, session }: OperationContext, name: string | undefined) => ({
  name: name?.slice(0, MAX_NAME_LENGTH),
  client,
  ...callerOf(scope, session),
});

/** The name of a caller in figures, and who it is. */
export const callerOf = ({ caller }: OperationContext['scope'], { viewer }: OperationContext['session']) => ({
  caller,
  subject: viewer?.name.slice(0, MAX_SUBJECT_LENGTH),
});

/**
 * Writes one log line for an operation, with its request's ids, its name and kind, how long it took, its calls, its
 * outcome and what failed on the platform's side, and one for each unexpected error.
 *
 * @param hasSubjects whether lines name the persons who call.
 */
export const createOperationLog = (log: Log, hasSubjects: boolean): Observer => ({
  operation(report, { ids }) {
    const { name, kind, client, caller, subject, durationMs, upstreamCalls, extensionCalls, outcome, codes, errors } =
      report;
    for (const error of errors.filter(isUnexpected)) {
      log.error({ ...ids, err: error.originalError }, 'unexpected error');
    }
    log.info(
      {
        ...ids,
        operation: name,
        kind,
        client: client.name,
        clientVersion: client.version,
        durationMs: Math.round(durationMs * 10) / 10,
        caller,
        subject: hasSubjects ? subject : undefined,
        upstreamCalls,
        extensionCalls: extensionCalls || undefined,
        outcome,
        codes: codes.length === 0 ? undefined : codes,
        failures: failuresOf(errors),
        refusal: refusalOf(errors),
      },
      'operation',
    );
  },
});

/** Why GraphQL refused the request; `undefined` where something failed while it ran. */
function refusalOf([first]: OperationReport['errors']): string | undefined {
  const { originalError = first } = first ?? {};
  const isRefusal = originalError instanceof GraphQLError || originalError instanceof InputError;
  return first && isRefusal ? messageWithoutValues(first) : undefined;
}

const MAX_FAILURES = 5;

/** The distinct failures of the platform with their causes; `undefined` without any. */
function failuresOf(errors: OperationReport['errors']): readonly object[] | undefined {
  const failures = new Map<string, object>();
  for (const { originalError } of errors) {
    if (!(originalError instanceof UpstreamError)) continue;
    const failure = describeError(originalError);
    failures.set(JSON.stringify(failure), failure);
  }
  return failures.size === 0 ? undefined : [...failures.values()].slice(0, MAX_FAILURES);
}
