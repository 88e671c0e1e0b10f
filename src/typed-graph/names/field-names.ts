import { capitalize, isMarked, mark, toPascal, uncapitalize, wordsOf } from './words.ts';

/** Fields that every instance has, and arguments that stand beside the values. */
const OWN: readonly string[] = ['id', 'formId', 'instanceId', 'form', 'values', 'value', 'reference', 'links', 'can'];

/**
 * Names the fields of a form, by the names that the platform has for them; `own` are names that stand beside them. A name that GraphQL can say stays as it is;
 * another one is joined of its words (`needed by` is `neededBy`), with a mark where that name is taken.
 */
export function nameFields(fields: readonly string[], own = OWN): ReadonlyMap<string, string> {
  const names = new Map(fields.filter((field) => isPlain(field, own)).map((field) => [field, field]));
  const taken = new Set(names.values());
  for (const field of fields.filter((candidate) => !names.has(candidate))) {
    const name = otherName(field, own);
    const free = taken.has(name) || isMarked(name) ? mark(name, field) : name;
    names.set(field, free);
    taken.add(free);
  }
  return names;
}

/** Whether a name may stand for a field of an instance. */
export const isFieldName = (name: string): boolean => isLegal(name) && !isOwn(name, OWN);

// GraphQL keeps inputs in plain objects, and would find there what all of these have.
const isOwn = (name: string, own: readonly string[]): boolean => own.includes(name) || name in Object.prototype;

const isLegal = (name: string): boolean => /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(name);
const isPlain = (field: string, own: readonly string[]): boolean =>
  isLegal(field) && !isOwn(field, own) && !field.endsWith('_') && !isMarked(field);

function otherName(field: string, own: readonly string[]): string {
  if (isOwn(field, own) && isLegal(field)) return `${field}_`;
  const words = wordsOf(field);
  const name = uncapitalize(toPascal(/^[A-Za-z]/.test(words[0] ?? '') ? words : ['field', ...words]));
  return isOwn(name, own) ? `${name}_` : name;
}

/** Names the enums of a form's choices, by the fields' names in the graph. Each is the type's name, `_` and the field's. */
export function nameEnums(type: string, fields: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const field of fields) {
    const name = `${type}_${capitalize(toPascal(wordsOf(field))) || 'Field'}`;
    const free = taken.has(name) ? mark(name, field) : name;
    names.set(field, free);
    taken.add(free);
  }
  return names;
}

/** Names the values of an enum, in capitals (`in progress` is `IN_PROGRESS`); equal ones get a mark but the first. */
export function nameChoices(values: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const value of new Set(values)) {
    const word = wordsOf(value.replace(/([a-z0-9])([A-Z])/g, '$1 $2'))
      .join('_')
      .toUpperCase();
    const name = word === '' ? 'VALUE' : word.replace(/^(?=\d)/, '_');
    const free = word === '' || taken.has(name) ? mark(name, value) : name;
    names.set(value, free);
    taken.add(free);
  }
  return names;
}
