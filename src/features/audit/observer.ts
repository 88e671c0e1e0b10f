import { hash, randomUUID } from 'node:crypto';
import { locatedError } from 'graphql';

import { UpstreamError } from '../../core/errors.ts';
import type { Observer, OutgoingChange } from '../../core/observers.ts';
import type { SchemaManager } from '../../graphql/apollo-server.ts';
import { toClientError } from '../../graphql/errors.ts';
import type { AuditFile } from './audit-file.ts';

const UNAVAILABLE = {
  clientCode: 'AUDIT_UNAVAILABLE',
  advice: 'The gateway cannot write its audit; try again later.',
};

/** By the ids of forms with types in the schema: the fields of their definitions, by the names of the platform. */
type Definitions = ReadonlyMap<string | undefined, ReadonlyMap<string, unknown> | undefined>;

/** Appends a line before a change is sent, each time, and one with its outcome where it was. */
export function createAuditObserver(file: AuditFile, graph: SchemaManager): Observer {
  let definitions: Definitions;
  graph.addStep('whole', (schema) => {
    const changes = Object.values(schema.getMutationType()?.getFields() ?? {}).map(
      ({ extensions }) => extensions.change,
    );
    definitions = new Map(changes.map((change) => [change?.formId, change?.fieldNames]));
    return schema;
  });
  return {
    change(change) {
      const { ids, operation } = change;
      const id = randomUUID();
      let isSent = false;
      const end = (event: string, members: object) => {
        if (isSent) file.appendOutcome(toLine(event, id, members));
      };
      return {
        beforeSend(attempt) {
          const line = toLine('sent', id, { attempt, ...describe(change, definitions) });
          try {
            file.append(line);
          } catch (cause) {
            throw new UpstreamError('unrecorded', { operation, cause, isUnsent: true, ...UNAVAILABLE });
          }
          isSent = true;
        },
        end(result) {
          const { instanceId, caseId }: Input = result ?? {};
          end('done', { instanceId, caseId });
        },
        fail(error) {
          const { extensions } = toClientError(locatedError(error, undefined, ['change']), ids);
          const code = extensions?.['code'];
          end(code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed', { code });
        },
      };
    },
  };
}

/** Members that are `undefined` are not in the line. */
const toLine = (event: string, id: string, members: object): string =>
  `${JSON.stringify({ audit: 1, time: new Date().toISOString(), event, id, ...members })}\n`;

/** The members that inputs and results of changes have. */
type Input = Partial<
  Readonly<Record<'formId' | 'instanceId' | 'process' | 'caseId' | 'activityId' | 'component' | 'version', string>> &
    Readonly<Record<'values' | 'attributes' | 'parameters', object | null>>
>;

/** Gives who makes a change, and what is changed; no value. */
function describe(change: OutgoingChange, definitions: Definitions): object {
  const { ids, client, name, operation, key, input: given, way = 'graphql', ...others } = change;
  const { formId, instanceId, caseId, activityId, component, version, ...input }: Input = given;
  // A text of the client in a body; all other names have been in a path.
  const process = input.process?.slice(0, 256);
  const names = Object.keys(input.values ?? {});
  const fields = names.filter((field) => definitions.get(formId)?.has(field));
  const otherFields = names.length - fields.length + count(input.attributes) + count(input.parameters);
  return {
    ...{ ...ids, ...others, way, client: client.name, operation: name, change: operation },
    ...{ formId, instanceId, process, caseId, activityId, component, version },
    ...{ fields, otherFields, keySha256: key && hash('sha256', key) },
  };
}

const count = (members: object | null | undefined): number => Object.keys(members ?? {}).length;
