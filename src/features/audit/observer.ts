import { createHash, randomUUID } from 'node:crypto';
import { type GraphQLSchema, locatedError } from 'graphql';

import { UpstreamError } from '../../core/errors.ts';
import type { Observer, OutgoingChange } from '../../core/observers.ts';
import { toClientError } from '../../graphql/errors.ts';
import type { AuditFile } from './audit-file.ts';

/** Members of inputs and results that say what is changed, and hold no value. */
const IDS = ['formId', 'instanceId', 'process', 'caseId', 'activityId', 'component', 'version'] as const;
/** A process is a text of the client that nobody has checked. */
const MAX_ID_LENGTH = 256;
const ADVICE = 'The gateway cannot write its audit; try again later.';

/** Appends a line before a change is sent, each time, and one with its outcome where it was. */
export function createAuditObserver(file: AuditFile, currentSchema: () => GraphQLSchema): Observer {
  const fieldsOf = createFieldNames(currentSchema);
  return {
    change(change) {
      const id = randomUUID();
      let isSent = false;
      const lineOf = (event: string, details: object) =>
        `${JSON.stringify({ audit: 1, time: new Date(), event, id, ...details })}\n`;
      const end = (event: string, details: object) => {
        if (isSent) file.appendOutcome(lineOf(event, details));
      };
      return {
        beforeSend(attempt) {
          try {
            file.append(lineOf('sent', { attempt, ...describe(change, fieldsOf) }));
          } catch (cause) {
            const refusal = { isUnsent: true, clientCode: 'AUDIT_UNAVAILABLE', advice: ADVICE };
            throw new UpstreamError('unrecorded', { operation: change.operation, cause, ...refusal });
          }
          isSent = true;
        },
        end: (result) => end('done', idsOf(result)),
        fail(error) {
          const code = toClientError(locatedError(error, undefined, ['change']), change.ids).extensions?.['code'];
          end(code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed', { code });
        },
      };
    },
  };
}

type FieldsOf = (formId: unknown) => readonly string[];

/** What is `undefined` is not in the line. */
function describe(change: OutgoingChange, fieldsOf: FieldsOf): object {
  const { ids, caller, subject, client, name, way = 'graphql', item, extension, operation, input, key } = change;
  const { formId, values, attributes, parameters } = input as Partial<Record<string, object>>;
  const given = { ...values, ...attributes, ...parameters };
  const fields = fieldsOf(formId).filter((field) => Object.hasOwn(given, field));
  return {
    ...ids,
    caller,
    subject,
    client: client.name,
    operation: name,
    way,
    item,
    extension,
    change: operation,
    ...idsOf(input),
    fields,
    otherFields: Object.keys(given).length - fields.length,
    keySha256: key && createHash('sha256').update(key).digest('hex'),
  };
}

function idsOf(given: unknown): object {
  const members = (given ?? {}) as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(IDS.map((name) => [name, members[name]?.slice(0, MAX_ID_LENGTH)]));
}

/** Finds the names of a form's fields that its definition has, where the schema has types for the form. */
function createFieldNames(currentSchema: () => GraphQLSchema): FieldsOf {
  let schema: GraphQLSchema | undefined;
  let forms = new Map<unknown, readonly string[]>();
  return (formId) => {
    if (schema !== currentSchema()) {
      schema = currentSchema();
      const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
      const changes = mutations.flatMap(({ extensions }) => extensions.change ?? []);
      forms = new Map(changes.map(({ formId, fieldNames }) => [formId, [...(fieldNames?.keys() ?? [])]]));
    }
    return forms.get(formId) ?? [];
  };
}
