import { feelProblem } from '../feel.ts';
import type { Rule } from '../model.ts';
import type { Located } from './read-kind.ts';
import { duplicates, namedIn } from './unique.ts';

/** The one path segment that names a rule. Source: rule 1 below the interface's table of operations. */
export const ruleRef = ({ cdComponent, cdVersion }: Pick<Rule, 'cdComponent' | 'cdVersion'>) =>
  `${cdComponent}-${cdVersion}`;

/** The rules by path segment; what does not fit together adds to `problems`. */
export function checkRules(rules: readonly Located<Rule>[], problems: string[]): ReadonlyMap<string, Rule> {
  problems.push(...collisions(rules), ...rules.flatMap(problemsOf));
  return new Map(rules.map(({ value }) => [ruleRef(value), value]));
}

/** `a-b` + `1` and `a` + `b-1` read the same in a path, so a caller could not say which one is meant. */
function collisions(rules: readonly Located<Rule>[]): readonly string[] {
  const first = new Map<string, Located<Rule>>();
  const problems: string[] = [];
  for (const rule of rules) {
    const earlier = first.get(ruleRef(rule.value));
    if (earlier === undefined) first.set(ruleRef(rule.value), rule);
    else {
      const names = `${describe(rule.value)} and ${describe(earlier.value)}, defined at ${earlier.at(['cdComponent'])},`;
      problems.push(`${rule.at(['cdComponent'])}: ${names} have the same path segment "${ruleRef(rule.value)}"`);
    }
  }
  return problems;
}

const describe = ({ cdComponent, cdVersion }: Rule) => `the rule "${cdComponent}" version "${cdVersion}"`;

function problemsOf({ value: rule, at }: Located<Rule>): readonly string[] {
  const faults = rule.outputs.map(({ expression }) => feelProblem(expression, rule.inputs));
  return [
    ...duplicates(
      'input',
      namedIn(at, ['inputs'], rule.inputs, ({ name }) => name),
    ),
    ...duplicates(
      'output',
      namedIn(at, ['outputs'], rule.outputs, ({ name }) => name),
    ),
    ...faults.flatMap((fault, index) => {
      if (fault === undefined) return [];
      const line = at(['outputs', index, 'expression']);
      return [`${line}: the expression of "${rule.outputs[index]?.name}" cannot be used: ${fault}`];
    }),
  ];
}
