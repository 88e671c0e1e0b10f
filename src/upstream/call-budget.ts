import { type CallLedger, createCallLedger } from './call-ledger.ts';
import { UpstreamError } from './errors.ts';
import type { Exchange, Exchanger } from './exchange.ts';

/** One call that may be made. */
export interface Grant {
  /** It was not made after all. */
  giveBack(): void;
}

/** No call may be made now. */
export interface Refusal {
  /** How long until one may be, in milliseconds. */
  readonly retryAfterMs: number;
}

/** How many calls the gateway may make within any minute. Shared by all callers: the limit is the API's. */
export interface CallBudget {
  /** Takes one call out. One that comes first may take from what is kept back of the others. */
  take(comesFirst: boolean): Grant | Refusal | Promise<Grant | Refusal>;
}

/** What others leave to the calls that come first, as a share of the budget. */
const RESERVED_SHARE = 0.1;

/** How many of `limit` calls may be made by now: all of them, or what is not kept back. */
export function ceilingOf(limit: number, comesFirst: boolean): number {
  const reserved = Math.min(Math.ceil(limit * RESERVED_SHARE), limit - 1);
  return comesFirst ? limit : limit - Math.max(0, reserved);
}

/** Makes the budget of a gateway that is alone: never more than `limit` calls within any 60 seconds. */
export function createCallBudget(limit: number, ledger: CallLedger = createCallLedger()): CallBudget {
  return {
    take(comesFirst) {
      const ceiling = ceilingOf(limit, comesFirst);
      return ledger.total() < ceiling ? { giveBack: ledger.add() } : { retryAfterMs: ledger.restMs(ceiling) };
    },
  };
}

/**
 * Puts a budget before the function that speaks HTTP, so that whatever is sent is counted: second tries, repeats after a
 * 401, and `getToken` too, since the interface's limit is on all operations. What found no connection is not counted.
 *
 * The exchanger throws `rate-limited`, with nothing sent, when there is none left.
 */
export function withinBudget(
  exchange: Exchanger,
  budget: CallBudget | undefined,
  comesFirst: (asked: Exchange) => boolean,
): Exchanger {
  if (budget === undefined) return exchange;
  return async (asked) => {
    const taken = await budget.take(comesFirst(asked));
    if ('retryAfterMs' in taken) {
      const retryAfterMs = Math.ceil(Math.max(1, taken.retryAfterMs));
      throw new UpstreamError('rate-limited', {
        operation: asked.operation,
        retryAfterMs,
        isUnsent: true,
        isFinal: true,
      });
    }
    try {
      return await exchange(asked);
    } catch (error) {
      if (error instanceof UpstreamError && error.isUnsent) taken.giveBack();
      throw error;
    }
  };
}
