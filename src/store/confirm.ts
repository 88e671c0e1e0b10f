import type { Evidence, Fact } from './evidence.ts';
import type { Finder, Seeker } from './finder.ts';
import type { Knowledge } from './knowledge.ts';

/**
 * Tells whether all that an answer rests on is true now. Where it is not known, it is asked, wave by wave: what a wave wanted
 * was learned from the waves before it, and may not be wanted any more when these have changed. So no call is made that
 * the operation itself would not make.
 */
export async function confirm(
  evidence: Evidence,
  seeker: Seeker,
  { knowledge, finder }: { readonly knowledge: Knowledge; readonly finder: Finder },
): Promise<boolean> {
  const judge = ({ wanted, version }: Fact): boolean | undefined => {
    const entry = knowledge.recall(wanted);
    if (entry === undefined) return undefined;
    if (entry.version !== version) return false;
    if (!knowledge.isTrue(wanted, entry, seeker.meter)) return undefined;
    seeker.meter.trust(knowledge.trueUntilMs(wanted, entry));
    return true;
  };
  const asked = async ({ wanted, version }: Fact): Promise<boolean> =>
    finder.find(wanted, seeker).then(
      (entry) => {
        seeker.meter.trust(knowledge.trueUntilMs(wanted, entry));
        return entry.version === version;
      },
      // Whatever it is, the operation meets it as well, and says it.
      () => false,
    );

  const verdicts = evidence.flat().map(judge);
  if (verdicts.includes(false)) return false;
  if (verdicts.every((verdict) => verdict === true)) {
    for (const _ of verdicts) seeker.meter.tally('fresh');
    return true;
  }
  for (const wave of evidence) {
    if ((await Promise.all(wave.map(asked))).includes(false)) return false;
  }
  return seeker.meter.stale.length === 0;
}
