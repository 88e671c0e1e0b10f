import { firstWords, mark, repeated, toPascal, uncapitalize, wordsOf } from './words.ts';

/** Fields that every instance has, and arguments that stand beside the values. */
const OWN: readonly string[] = ['id', 'formId', 'instanceId', 'form', 'values', 'value', 'reference', 'links', 'can'];

/** A field as the platform has it. */
interface PlatformField {
  readonly name: string;
  /** For people. */
  readonly label?: string | undefined;
}

interface FieldNaming {
  /** Names that somebody chose, by the platform's. */
  readonly chosen?: ReadonlyMap<string, string> | undefined;
  /** Names that stand beside them. */
  readonly own?: readonly string[];
}

/**
 * Names the fields of a form, by the platform's names: by the words of these (`Needed by` is `neededBy`), or of their labels
 * where they have none. Several that would have one name get marks; what every instance has gets an underscore.
 */
export function nameFields(fields: readonly PlatformField[], { chosen, own = OWN }: FieldNaming = {}) {
  const natural = fields
    .filter(({ name }) => !chosen?.has(name))
    .map(({ name, label }) => [name, fieldName(name, label)] as const);
  const twice = repeated([...natural.map(([, name]) => name), ...(chosen?.values() ?? [])]);
  const named = natural.map(([field, name]) => {
    if (twice.has(name)) return [field, mark(name, field)] as const;
    return [field, isOwn(name, own) ? `${name}_` : name] as const;
  });
  return new Map([...(chosen ?? []), ...named]);
}

const fieldName = (name: string, label: string | undefined): string =>
  uncapitalize(toPascal(firstWords(name, label), 'Field'));

/** Whether a name may stand for a field of an instance. */
export const isFieldName = (name: string): boolean => isLegal(name) && !isOwn(name, OWN);

// GraphQL keeps inputs in plain objects, and would find there what all of these have.
const isOwn = (name: string, own: readonly string[]): boolean => own.includes(name) || name in Object.prototype;

const isLegal = (name: string): boolean => /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** One of the values to choose from, as a text. */
interface Choice {
  readonly text: string;
  readonly label?: string | undefined;
}

/**
 * Names the values of an enum, by their texts: in capitals (`in progress` is `IN_PROGRESS`), by their labels where they have
 * no words. Several that would have one name get marks.
 */
export function nameChoices(choices: readonly Choice[]): ReadonlyMap<string, string> {
  const byText = new Map(choices.map(({ text, label }) => [text, choiceName(text, label)]));
  const twice = repeated(byText.values());
  return new Map(
    [...byText].map(([text, name]) => [text, twice.has(name) || name === '' ? mark(name || 'VALUE', text) : name]),
  );
}

const choiceName = (text: string, label: string | undefined): string =>
  firstWords(text, label)
    .join('_')
    .toUpperCase()
    .replace(/^(?=\d)/, '_');

/** The words of a field's name, as they stand at the end of another name. */
export const toSuffix = (name: string): string => toPascal(wordsOf(name), 'Field');
