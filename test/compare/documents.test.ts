import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  gen,
  type JsonValue,
  jsonValue,
  nat,
  oneof,
} from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';

import type { FormRecord } from '../../src/upstream/records.ts';
import { anyForms } from '../features/typed-graph/support/random-forms.ts';
import {
  type Definition,
  type Disturb,
  type Disturbance,
  startFormPlatform,
} from '../support/form-platform.ts';
import { countPlanned, planOf } from '../support/plan.ts';
import { ignoreRejections, toComparable } from './support/graphql-js.ts';
import { makeDocument } from './support/random-document.ts';
import {
  type Answered,
  type Asked,
  type ComparedGateway,
  startCompared,
} from './support/reference.ts';
import { DOCUMENTS, SEED, say, TIMEOUT_MS } from './support/settings.ts';

const ERRORS = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
/** The documented error codes except the one for unexpected errors. */
const CODES = [...ERRORS.matchAll(/^\| `([A-Z_]+)` \|/gm)]
  .map(([, code = '']) => code)
  .filter((code) => code !== 'INTERNAL_SERVER_ERROR');

/** The number of documents per set of forms. */
const DOCUMENTS_OF_FORMS = 30;

/** A value that an instance may have in a field of any type. */
const anyValue = oneof(
  jsonValue({ maxDepth: 1 }),
  constantFrom<JsonValue>(
    1,
    2,
    '3',
    'a name',
    '2026-01-31',
    '2026-01-31T10:00:00',
    '12.50',
    '1E+3',
    true,
    null,
    '',
  ),
);

/**
 * Faulty responses of a platform. None of them teaches the gateway how the platform pages its
 * lists.
 */
const FAULTS: readonly Disturbance[] = [
  'cut',
  { status: 403, body: '{"errorCode":"PERMISSION_DENIED"}' },
  { status: 404, body: '{"message":"no"}' },
  { status: 302, body: '' },
  { status: 200, body: '{"items":[{"idInstance":"1","values":{"name":null}},7]}' },
  { status: 200, body: '[]' },
  { status: 200, body: '{"half":' },
  { status: 200, body: '' },
  // It is tried again after a while, so each of them takes time.
  { status: 500, body: '{"message":"no"}' },
  {
    status: 400,
    body: '{"message":"The field \\"a\\" is not one.","violations":[{"field":"a","message":"no"}]}',
  },
];

/**
 * One form's instances, and all definitions, meet one fault, whether they are read alone or
 * together.
 */
const placeOf = (method: string, path: string): string => {
  const [, form] = /\/forms\/([^/?]+)\/instances/.exec(path) ?? [];
  return `${method} ${form ?? path.replace(/(\/forms)\b.*$/, '$1')}`;
};

function faultsOf(seed: number): Disturb {
  return (method, path) => {
    const text = `${seed} ${placeOf(method, path)}`;
    let draw = 7;
    for (let index = 0; index < text.length; index++)
      draw = (draw * 31 + text.charCodeAt(index)) >>> 0;
    return FAULTS[(draw >>> 4) % (FAULTS.length * 3)] ?? WRITTEN[method];
  };
}

/** The responses of the platform to writes. */
const WRITTEN: Readonly<Record<string, Disturbance>> = {
  POST: { status: 201, body: '{"idInstance":3}' },
  PUT: { status: 202, body: '' },
  PATCH: { status: 202, body: '' },
  DELETE: { status: 204, body: '' },
};

/** Opens a gateway before a platform of these forms, whose instances hold these values. */
async function open(
  forms: readonly Pick<FormRecord, 'definition' | 'isSummary'>[],
  values: readonly unknown[],
) {
  const valuesOf = ({ fields }: Definition, instance: number) =>
    Object.fromEntries(
      namesIn(fields).map((name, index) => [name, values[(index + instance) % values.length]]),
    );
  const definitions = forms.map(({ definition }) => definition as Definition);
  const platform = await startFormPlatform(definitions, { valuesOf });
  const known = {
    formId: [...definitions.map(({ idForm }) => idForm), 'no form'],
    instanceId: ['1', '2', '3', '4', '5', '6'],
    field: [...definitions.flatMap(({ fields }) => namesIn(fields)), 'no field'],
  };
  /**
   * How many forms are read again on their own, since the list has no fields of them: no plan knows
   * of these calls.
   */
  const summaries = forms.filter(({ isSummary }) => isSummary).length;
  return { platform, known, summaries, gateway: await startCompared(platform.env) };
}

const namesIn = (fields: unknown): string[] =>
  Array.isArray(fields)
    ? fields.flatMap(({ name }: { readonly name?: unknown }) =>
        typeof name === 'string' ? name : [],
      )
    : [];

const errorsOf = ({ data, errors }: Answered): string[] =>
  toComparable(errors, JSON.parse(data ?? 'null'), ({ message, locations, extensions }) => [
    message,
    locations,
    lasting(extensions),
  ]);

/** Leaves out errors of retired options, except the first of each field and list. */
function oncePerList(errors: Answered['errors']): Answered['errors'] {
  const told = new Set<string>();
  return errors.filter(({ message, path = [] }) => {
    const row = path.findLastIndex((key) => typeof key === 'number');
    if (row < 0 || !message.includes('among its options')) return true;
    const place = JSON.stringify(path.toSpliced(row, 1, '*'));
    const isFirst = !told.has(place);
    told.add(place);
    return isFirst;
  });
}

/**
 * Returns the extensions that are the same in both answers. Whether an instance is read alone or with
 * others depends on what else is read at the moment.
 */
function lasting({ requestId: _, ...extensions }: Readonly<Record<string, unknown>>): unknown {
  return JSON.parse(
    JSON.stringify(extensions)
      .replaceAll('"getFormIntances"', '"getFormIntance"')
      .replaceAll('"getForms"', '"getForm"'),
  );
}

type Outcome = 'equal' | 'refused' | 'cut' | 'conflict';

/**
 * Refusals of requests that graphql-js would run: those beyond a limit, and ids that no path can
 * carry.
 */
const ON_PURPOSE = /^Too many|^This may cost|^The answer may have|\bThe id \$/;

/**
 * Compares the answers to one document: when it is new, prepared with other conditions, and
 * prepared.
 */
async function compare(asked: Asked, gateway: ComparedGateway): Promise<Outcome> {
  const { yes, no } = asked.variables ?? {};
  const other = { ...asked, variables: { ...asked.variables, yes: no, no: yes } };
  const first = await gateway.ours(asked);
  const became = expectEqual(asked, first, await gateway.theirs(asked));
  expectEqual(other, await gateway.ours(other), await gateway.theirs(other));
  const again = await gateway.ours(asked);
  expect(again.data, JSON.stringify(asked)).toBe(first.data);
  if (first.errors.length < MAX_ERRORS)
    expect(errorsOf(again), JSON.stringify(asked)).toEqual(errorsOf(first));
  return became;
}

/** Compares the cost in a document's plan with the calls that the document makes. */
async function comparePlan(
  asked: Asked,
  { platform, summaries, gateway }: Awaited<ReturnType<typeof open>>,
) {
  const plan = await planOf(gateway.url, asked.query, asked.variables);
  // What cannot be planned is refused where it is run, beside other fields.
  if (plan === undefined) return;
  platform.calls.length = 0;
  await gateway.ours(asked);
  expect(countPlanned(platform.calls), JSON.stringify(asked)).toBeLessThanOrEqual(
    plan.calls.most + summaries,
  );
}

function expectEqual(asked: Asked, answer: Answered, expected: Answered): Outcome {
  const text = JSON.stringify(asked);
  const { status, data, errors } = answer;
  expect([200, 400], text).toContain(status);
  const codes = errors.map(({ extensions }) => String(extensions['code']));
  expect(
    codes.filter((code) => !CODES.includes(code)),
    text,
  ).toEqual([]);
  if (data === undefined && status === 400) {
    if (expected.data === undefined) return 'equal';
    expect(errors.map(({ message }) => message).join(), text).toMatch(ON_PURPOSE);
    return 'refused';
  }
  expect(data, text).toBe(expected.data);
  if (expected.errors.length > MAX_ERRORS) return 'cut';
  expect(errorsOf(answer), text).toEqual(
    errorsOf({ ...expected, errors: oncePerList(expected.errors) }),
  );
  return errors.some(({ extensions }) => 'current' in extensions) ? 'conflict' : 'equal';
}

/** More errors are left out of an answer. */
const MAX_ERRORS = 200;

it(
  'any document over the composed schema is answered as by graphql-js, whatever the platform does',
  async () => {
    say(`documents: ${DOCUMENTS}, seed ${SEED}`);
    const counts = { equal: 0, refused: 0, cut: 0, conflict: 0 };
    const property = asyncProperty(
      anyForms,
      array(anyValue, { minLength: 1, maxLength: 20 }),
      array(nat(), { minLength: DOCUMENTS_OF_FORMS, maxLength: DOCUMENTS_OF_FORMS }),
      gen(),
      async (forms, values, seeds, g) => {
        const opened = await open(forms, values);
        const { platform, known, gateway } = opened;
        try {
          for (const seed of seeds) {
            const isWell = seed % 3 === 0;
            platform.disturb(isWell ? (method) => WRITTEN[method] : faultsOf(seed));
            const asked = makeDocument(gateway.schema, known, g);
            if (isWell) await comparePlan(asked, opened);
            counts[await compare(asked, gateway)]++;
          }
        } finally {
          await gateway.close();
        }
      },
    );
    const numRuns = Math.ceil(DOCUMENTS / DOCUMENTS_OF_FORMS);
    await ignoreRejections(() => assert(property, { numRuns, seed: SEED, endOnFailure: true }));
    say(
      `documents: ${counts.equal} equal, ${counts.conflict} with values of a conflict, ${counts.cut} in all but errors left out, ${counts.refused} beyond a limit`,
    );
    expect(counts.equal).toBeGreaterThan(DOCUMENTS / 2);
  },
  TIMEOUT_MS,
);

it('the values of a conflict are those that graphql-js selects', async () => {
  const definition = {
    idForm: 'thing',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'amount', type: 'decimal' },
      { name: 'owner', type: 'reference', reference: 'thing' },
    ],
  };
  // The first instance has a title, an amount that is none, and an owner.
  const { gateway } = await open([{ definition, isSummary: false }], [2, 'A title', 'many']);
  onTestFinished(gateway.close);
  const query = `mutation Any($yes: Boolean!, $no: Boolean!) {
    updateThing(input: { instanceId: 1, values: {}, expected: { title: "another" } }) {
      one: instance { title amount owner { title amount } ...Form @include(if: $yes) }
      two: instance { other: title @skip(if: $no) nested: owner @include(if: $no) { title } }
    }
  }
  fragment Form on Thing { id form { name } }`;

  expect(await compare({ query, variables: { yes: true, no: false } }, gateway)).toBe('conflict');
});
