import { GraphQLError, type GraphQLSchema, getArgumentValues, isObjectType, parse } from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import { checkDocument } from '../../graphql/admission/documents.ts';
import type { Selection } from '../../graphql/admission/selections.ts';
import type { PreparedOperation, PreparedOperations } from '../../graphql/operations.ts';
import { toInstanceKey } from '../../graphql/relay.ts';
import type { ChangeMeaning } from '../../graphql/schema-metadata.ts';
import type { InstanceKey } from '../../upstream/records.ts';

type Values = Readonly<Record<string, unknown>>;
type KeyedValues = InstanceKey & { readonly values?: Values };

const READ = `query ReadBeforeChange($formId: ID!, $instanceId: ID!) {
  instance(formId: $formId, instanceId: $instanceId) { values }
}`;

/** Gives the operation that reads a record before it is changed; `undefined` where the graph hides what it reads. */
export function prepareRead(schema: GraphQLSchema, prepared: PreparedOperations): PreparedOperation | undefined {
  if ('problems' in checkDocument(READ, schema)) return undefined;
  const operation = prepared.prepare(parse(READ), READ, undefined);
  return operation instanceof GraphQLError ? undefined : operation;
}

/** The change of one record that is there. */
interface RecordChange {
  /** Those of `ReadBeforeChange`. */
  readonly variables: Values & InstanceKey;
  /** Gives lines for a person: the record's title, and present beside new values. */
  describe(present: Values): readonly string[];
}

/** Gives the change that an operation makes; `undefined` for one that makes several, or that creates. */
export function findChange({ selected, readVariables }: PreparedOperation, given: Values): RecordChange | undefined {
  const [field, ...others] = selected.selections;
  const meaning = field?.definition?.extensions.change;
  const variables = readVariables(given);
  if (!field?.definition || !meaning || meaning.word === 'create' || others.length > 0) return undefined;
  if (field.conditions.length > 0 || variables instanceof GraphQLError) return undefined;
  const { input } = getArgumentValues(field.definition, field.node, variables) as { readonly input: Values };
  const converted = orUndefined(() => toInstanceKey<KeyedValues>(meaning.toGeneric(input) as never));
  if (converted === undefined) return undefined;
  const { formId, instanceId, values: next = {} } = converted;
  const isShown = createFilter(field, meaning, selected.schema);
  return {
    variables: { formId, instanceId },
    describe(present) {
      const title = TITLES.find((name) => isShown.title(name) && typeof present[name] === 'string');
      const names = meaning.word === 'replace' ? Object.keys({ ...present, ...next }) : Object.keys(next);
      const compared = names.filter(isShown.value).map((name) => {
        const after = next[name] ?? null;
        return `  ${meaning.fieldNames?.get(name) ?? name}: ${toText(present[name] ?? null)} → ${toText(after)}`;
      });
      return [
        ...(title ? [`The record is ${toText(present[title])}.`] : []),
        ...(compared.length > 0 ? ['Present and new values:', ...compared] : []),
      ];
    },
  };
}

/** The names of fields that hold what people call a record. */
const TITLES = ['title', 'name'];
const MAX_VALUE_LENGTH = 200;

function toText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/**
 * Says which fields may be shown, by the platform's names. A question is no way around trusted documents: present values are those
 * that the answer to the change selects, and a title is one that the graph has.
 */
function createFilter({ selections }: Selection, { formId, fieldNames }: ChangeMeaning, schema: GraphQLSchema) {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const type = formId === undefined ? undefined : types.find(({ extensions }) => extensions.form?.formId === formId);
  const fields = type?.getFields();
  const nameOf = (name: string) => fieldNames?.get(name) ?? name;
  const selected = new Set(selections.flatMap((one) => one.selections.map(({ node }) => node.name.value)));
  return {
    title: (name: string) => (fields ? nameOf(name) in fields : selected.has('values')),
    value: (name: string) => selected.has(fields ? nameOf(name) : 'values'),
  };
}
