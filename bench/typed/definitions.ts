/** A definition as the platform tells it. */
export interface Definition {
  readonly idForm: string;
  readonly name: string;
  readonly version: string;
  readonly fields: readonly object[];
}

/** What types the fields have, over and over. */
const TYPES = ['text', 'text', 'integer', 'decimal', 'boolean', 'choice', 'date', 'text', 'reference', 'datetime'];
const OPTIONS = ['new', 'in progress', 'done', 'rejected', 'gone'];

/** Makes definitions `record0`, `record1` and so on, which refer to one another. */
export function defineForms(count: number, fieldCount: number): Definition[] {
  return Array.from({ length: count }, (_, form) => ({
    idForm: `record${form}`,
    name: `Record ${form}`,
    version: '1',
    fields: Array.from({ length: fieldCount }, (_, field) => defineField(field, (form + field) % count)),
  }));
}

function defineField(field: number, target: number): object {
  const type = TYPES[field % TYPES.length];
  return {
    name: `field${field}`,
    label: `Field ${field}`,
    type,
    required: field % 3 === 0,
    ...(type === 'choice' && { options: OPTIONS }),
    ...(type === 'reference' && { reference: `record${target}` }),
    ...(type === 'decimal' && { unit: 'EUR', min: 0, max: 1_000_000 }),
    ...(type === 'text' && { maxLength: 200 }),
  };
}

/** The values of the first ten fields of an instance, as the platform writes them. */
export const writeValues = (id: number): string =>
  `{"field0":"The first of ${id}","field1":"Another of ${id}","field2":${id},"field3":${id % 997}.25,"field4":${id % 2 === 0},` +
  `"field5":"${OPTIONS[id % OPTIONS.length]}","field6":"2026-01-${String(1 + (id % 28)).padStart(2, '0')}","field7":"More of ${id}",` +
  `"field8":${1 + (id % 10)},"field9":"2026-03-02T09:00:00Z"}`;
