import { hash, randomUUID } from 'node:crypto';
import { type GraphQLSchema, locatedError } from 'graphql';

import { UpstreamError } from '../../core/errors.ts';
import type { Observer, OutgoingChange } from '../../core/observers.ts';
import { toClientError } from '../../graphql/errors.ts';
import type { AuditFile } from './audit-file.ts';

/** Appends a line before a change is sent, each time, and one with its outcome where it was. */
export function createAuditObserver(file: AuditFile, currentSchema: () => GraphQLSchema): Observer {
  const fieldsOf = createFieldNames(currentSchema);
  return {
    change(change) {
      const id = randomUUID();
      let isSent = false;
      const end = (event: string, code: unknown, { instanceId, caseId }: Input) => {
        if (isSent) file.appendOutcome(toLine({ audit: 1, time: now(), event, id, code, instanceId, caseId }));
      };
      return {
        beforeSend(attempt) {
          try {
            file.append(toLine(describe(change, id, attempt, fieldsOf)));
          } catch (cause) {
            const { operation } = change;
            throw new UpstreamError('unrecorded', { operation, cause, isUnsent: true, ...UNAVAILABLE });
          }
          isSent = true;
        },
        end: (result) => end('done', undefined, result ?? {}),
        fail(error) {
          const code = toClientError(locatedError(error, undefined, ['change']), change.ids).extensions?.['code'];
          end(code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed', code, {});
        },
      };
    },
  };
}

const UNAVAILABLE = {
  clientCode: 'AUDIT_UNAVAILABLE',
  advice: 'The gateway cannot write its audit; try again later.',
};

const now = () => new Date().toISOString();
const toLine = (members: object) => `${JSON.stringify(members)}\n`;

/** The members that inputs and results of changes have. */
type Input = Partial<
  Readonly<Record<'formId' | 'instanceId' | 'process' | 'caseId' | 'activityId' | 'component' | 'version', string>> &
    Readonly<Record<'values' | 'attributes' | 'parameters', object | null>>
>;

/** Members that are `undefined` are not in the line. Nothing in it is a value. */
function describe(change: OutgoingChange, id: string, attempt: number, fieldsOf: FieldsOf): object {
  const { ids, client, name, operation, key, input: given, way = 'graphql', ...others } = change;
  const input: Input = given;
  const values = input.values ?? {};
  const fields = fieldsOf(input.formId).filter((field) => Object.hasOwn(values, field));
  return {
    audit: 1,
    time: now(),
    event: 'sent',
    id,
    attempt,
    ...ids,
    ...others,
    way,
    client: client.name,
    operation: name,
    change: operation,
    formId: input.formId,
    instanceId: input.instanceId,
    process: input.process?.slice(0, MAX_NAME_LENGTH),
    caseId: input.caseId,
    activityId: input.activityId,
    component: input.component,
    version: input.version,
    fields,
    otherFields: count(values) - fields.length + count(input.attributes) + count(input.parameters),
    keySha256: key && hash('sha256', key),
  };
}

const count = (members: object | null | undefined): number => (members ? Object.keys(members).length : 0);

/** A process is a text of the client in a body; all other names have been in a path. */
const MAX_NAME_LENGTH = 256;

type FieldsOf = (formId: string | undefined) => readonly string[];

/** Finds the names of a form's fields that its definition has, where the schema has types for the form. */
function createFieldNames(currentSchema: () => GraphQLSchema): FieldsOf {
  let schema: GraphQLSchema | undefined;
  let forms = new Map<string | undefined, readonly string[]>();
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
