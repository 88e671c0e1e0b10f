import type { Field, Form } from '../model.ts';
import type { Located } from './read-kind.ts';
import { duplicates } from './unique.ts';

/** A search names ids and fields alike, so no field may be called like an id. */
const RESERVED = ['idInstance', 'idForm'];

/** The forms by id; what does not fit together adds to `problems`. */
export function checkForms(forms: readonly Located<Form>[], problems: string[]): ReadonlyMap<string, Form> {
  const byId = new Map(forms.map(({ value }) => [value.idForm, value]));
  problems.push(
    ...duplicates(
      'form',
      forms.map(({ value, at }) => ({ id: value.idForm, at: at(['idForm']) })),
    ),
  );

  for (const { value, at } of forms) {
    const lineOf = (index: number) => at(['fields', index]);
    problems.push(
      ...duplicates(
        'field',
        value.fields.map(({ name }, index) => ({ id: name, at: lineOf(index) })),
      ),
    );
    for (const [index, field] of value.fields.entries()) {
      problems.push(...fieldProblems(field, byId).map((problem) => `${lineOf(index)}: ${problem}`));
    }
  }
  return byId;
}

function fieldProblems(field: Field, forms: ReadonlyMap<string, Form>): readonly string[] {
  const { name, type, options, reference, min, max, maxLength } = field;
  const isNumber = type === 'integer' || type === 'decimal';
  const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [RESERVED.includes(name), 'is a reserved name'],
    [type === 'choice' && options === undefined, 'is a choice without options'],
    [type !== 'choice' && options !== undefined, 'has options, but is no choice'],
    [new Set(options).size !== (options?.length ?? 0), 'has an option twice'],
    [type === 'reference' && reference === undefined, 'does not say which form it refers to'],
    [type !== 'reference' && reference !== undefined, 'names a form, but is no reference'],
    [reference !== undefined && !forms.has(reference), `refers to the form "${reference}", which is not defined`],
    [!isNumber && (min !== undefined || max !== undefined), 'has min or max, but is no number'],
    [min !== undefined && max !== undefined && min > max, 'has a min above its max'],
    [type !== 'text' && maxLength !== undefined, 'has a maxLength, but is no text'],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, problem]) => `the field "${name}" ${problem}`);
}
