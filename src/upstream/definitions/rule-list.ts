import { InputError, UpstreamError } from '../errors.ts';
import type { RuleKey, RuleRecord } from '../records.ts';
import type { Rules } from '../rules.ts';
import { type Known, reread } from './reread.ts';

/**
 * Makes what reads the parameters of rules. What was read before is asked by `If-Modified-Since`; a rule that cannot be read
 * is as it was before, or else left out.
 */
export function readRuleList(rules: Rules, keys: readonly RuleKey[]) {
  const held = new Map<RuleKey, Known<RuleRecord>>();

  const readOne = async (key: RuleKey, signal: AbortSignal | undefined): Promise<RuleRecord[]> => {
    const known = held.get(key);
    try {
      const read = await reread((options) => rules.read(key, options), known, signal);
      held.set(key, read);
      return [read.record];
    } catch (error) {
      if (signal?.aborted || !(error instanceof UpstreamError || error instanceof InputError)) throw error;
      return known ? [known.record] : [];
    }
  };

  return async (signal: AbortSignal | undefined): Promise<readonly RuleRecord[]> => {
    const found = await Promise.all(keys.map((key) => readOne(key, signal)));
    return found.flat();
  };
}
