import { type Env, startGateway } from '../../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../../support/scripted-platform.ts';

/** The members of an item that tests check. */
export interface Item {
  readonly status: 'DONE' | 'FAILED' | 'UNKNOWN' | 'NOT_SENT';
  readonly instance?: { readonly instanceId: string } | null;
  readonly error: Readonly<
    Record<'code' | 'message' | 'violations' | 'retryable' | 'retryAfterMs', unknown>
  > | null;
}

/** Purchase requests of the sandbox, each with a title of its own. */
export const purchaseRequests = (count: number, values: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    values: {
      title: `Row ${index}`,
      amount: '10',
      quantity: '1',
      status: 'DRAFT',
      requester: '1',
      ...values,
    },
  }));

export const ERROR = 'error { code message violations retryable retryAfterMs }';
export const CREATE_INSTANCES = `mutation ($input: CreateInstancesInput!) {
  createInstances(input: $input) {
    done failed unknown notSent results { status instance { instanceId } ${ERROR} }
  }
}`;

/** An answer that is lost. */
export const LOST: ScriptedAnswer = { status: 201, body: '<cut' };

/**
 * Starts a platform that counts the writes of each item by its number, and a gateway in front of
 * it. `answer` replaces the response to an item. A status from 400 on has no effect on the
 * platform.
 */
export async function startLedger(env: Env = {}) {
  const made = new Map<number, number>();
  const state = {
    sent: 0,
    answer: (
      _row: number,
      _sent: number,
    ): ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined> => undefined,
  };
  const platform = await scriptPlatform(async ({ method, body }) => {
    if (method !== 'POST') return { body: [] };
    const { row } = JSON.parse(body).values;
    const instead = await state.answer(row, ++state.sent);
    if ((instead?.status ?? 0) < 400) made.set(row, (made.get(row) ?? 0) + 1);
    return instead ?? { status: 201, body: { idInstance: row + 1, values: { row } } };
  });
  /**
   * Starts a gateway, and returns a function that creates a number of instances in one call. The
   * `outcome` of a call has the numbers of items, such as `99 done,1 failed`.
   */
  const startReplica = async (own: Env = {}) => {
    const gateway = await startGateway({ ...platform.env, ...env, ...own });
    const create = async (count: number, input: object = {}) => {
      const items = Array.from({ length: count }, (_, row) => ({ values: { row } }));
      const answer = await gateway.execute(CREATE_INSTANCES, {
        input: { formId: 'f', items, ...input },
      });
      const { results = [], ...counts } = answer.data?.createInstances ?? {};
      const outcome = Object.entries(counts).flatMap(([name, of]) => (of ? `${of} ${name}` : []));
      return { ...answer, results: results as readonly Item[], outcome: outcome.join() };
    };
    return { gateway, create };
  };
  return { ...(await startReplica()), startReplica, state, made, closePlatform: platform.close };
}
