import { type CallBudget, ceilingOf, type Grant, type Refusal } from '../../upstream/call-budget.ts';
import { createCallLedger } from '../../upstream/call-ledger.ts';
import { createFairShare } from './fair-share.ts';
import type { AskForLease, Lease } from './leases.ts';

interface BudgetOptions {
  /** How many calls all replicas may make together within any 60 seconds. */
  readonly limit: number;
  readonly askForLease: AskForLease;
  readonly isSharing: () => boolean;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/** What is leased for the calls that come first, or for all others, which those may use as well. */
interface Line {
  readonly ceiling: number;
  lease: Lease | undefined;
  /** How many calls the next lease is for: ever more while they are used up in time. */
  wanted: number;
  asking: Promise<boolean> | undefined;
  refusal: { readonly askAgainAtMs: number; readonly endsAtMs: number } | undefined;
}

const LEASE_AT_MOST = 32;
/** Of a small budget a lease is a small part, so that no replica starves while another one holds what it does not use. */
const LEASE_SHARE = 0.01;
/** Who was refused asks again after so long at the latest: others may have given back. */
const ASK_AGAIN_MS = 1_000;

/**
 * Makes the budget of one replica: leased from all, a few calls at a time, so that most calls ask nobody.
 *
 * While Redis is away, a replica goes on with a fair share: the budget by the number of replicas that were last seen, and in
 * the first minute no more than its part of what was left then. It tells what it made when Redis is there again.
 */
export function createSharedBudget({ limit, askForLease, isSharing, now = monotonic }: BudgetOptions): CallBudget {
  const ledger = createCallLedger(now);
  const first = createLine(ceilingOf(limit, true));
  const others = createLine(ceilingOf(limit, false));
  const wantedAtMost = Math.max(1, Math.min(LEASE_AT_MOST, Math.floor(limit * LEASE_SHARE)));
  const share = createFairShare(now);
  let unleased = 0;

  const isHeld = (lease: Lease | undefined): lease is Lease =>
    lease !== undefined && lease.left > 0 && now() < lease.untilMs;
  const spend = (lease: Lease): Grant => {
    lease.left--;
    const forget = ledger.add();
    return {
      giveBack() {
        lease.left++;
        forget();
      },
    };
  };
  /** What this replica made of late, and may still make of its leases. */
  const ownCalls = () =>
    [first.lease, others.lease].reduce((sum, lease) => sum + (isHeld(lease) ? lease.left : 0), ledger.total());
  const askFor = async (line: Line): Promise<boolean> => {
    const { lease: old } = line;
    const isUsedUp = old !== undefined && old.left === 0 && now() < old.untilMs;
    line.wanted = isUsedUp ? Math.min(line.wanted * 2, wantedAtMost) : 1;
    line.lease = undefined;
    const told = unleased;
    try {
      const own = { unleased: told, own: ownCalls(), assumed: share.ofOthers(limit, told > 0) };
      const asked = { ...own, ceiling: line.ceiling, wanted: line.wanted, givenBack: old };
      const { lease, waitMs, standing } = await askForLease(asked);
      unleased = Math.max(0, unleased - told);
      line.lease = lease;
      share.heard(standing, ownCalls());
      line.refusal = lease ? undefined : refusalFor(waitMs);
      return true;
    } catch {
      return false;
    } finally {
      line.asking = undefined;
    }
  };
  const refusalFor = (waitMs: number) => ({
    askAgainAtMs: now() + Math.min(waitMs, ASK_AGAIN_MS),
    endsAtMs: now() + waitMs,
  });
  const takeAlone = (line: Line): Grant | Refusal => {
    const ceiling = share.of(line.ceiling);
    if (ledger.total() >= ceiling) return { retryAfterMs: ledger.restMs(ceiling) };
    const forget = ledger.add();
    unleased++;
    return {
      giveBack() {
        unleased = Math.max(0, unleased - 1);
        forget();
      },
    };
  };
  const take = (comesFirst: boolean): Grant | Refusal | Promise<Grant | Refusal> => {
    const line = comesFirst ? first : others;
    if (isHeld(others.lease)) return spend(others.lease);
    if (isHeld(line.lease)) return spend(line.lease);
    if (!isSharing()) return takeAlone(line);
    const { refusal } = line;
    if (refusal && now() < refusal.askAgainAtMs) return { retryAfterMs: refusal.endsAtMs - now() };
    line.asking ??= askFor(line);
    return line.asking.then((isAnswered) => (isAnswered ? take(comesFirst) : takeAlone(line)));
  };
  return { take };
}

const createLine = (ceiling: number): Line => ({
  ceiling,
  lease: undefined,
  wanted: 1,
  asking: undefined,
  refusal: undefined,
});

const monotonic = (): number => performance.now();
