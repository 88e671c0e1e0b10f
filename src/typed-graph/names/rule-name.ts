import type { RuleKey } from '../../upstream/records.ts';
import { bareName } from './form-names.ts';
import { isMarked, mark, toPascal, wordsOf } from './words.ts';

/**
 * Names a rule by its id alone: the rule `approval-level`, `1.0` is `ApprovalLevelV1_0`. Every name without a mark belongs to
 * one rule: its component is one that a form's name would say without a mark, and its version has digits and dots alone.
 */
export function nameRule({ component, version }: RuleKey): string {
  const bare = bareName(component);
  const name = `${bare}V${version.replaceAll('.', '_')}`;
  if (bare !== undefined && /^\d+(\.\d+)*$/.test(version) && !isMarked(name)) return name;
  return mark(`${toPascal(wordsOf(component))}V${wordsOf(version).join('_')}`, component, version);
}
