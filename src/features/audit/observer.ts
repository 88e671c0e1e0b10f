import { hash, randomUUID } from 'node:crypto';
import { type GraphQLSchema, locatedError } from 'graphql';

import { orUndefined, UpstreamError } from '../../core/errors.ts';
import type { Observer, OutgoingChange } from '../../core/observers.ts';
import { oncePer } from '../../core/once-per.ts';
import type { SchemaManager } from '../../graphql/apollo-server.ts';
import { toClientError } from '../../graphql/errors.ts';
import { CONTENT_NAMES, ID_NAMES, type SomeIds } from '../../upstream/records.ts';
import type { AuditFile } from './audit-file.ts';

const UNAVAILABLE = {
  clientCode: 'AUDIT_UNAVAILABLE',
  advice: 'The gateway cannot write its audit; try again later.',
};

/** By form id, for forms with a type in the schema: the names of their fields on the platform. */
type Definitions = ReadonlyMap<string | undefined, ReadonlyMap<string, unknown> | undefined>;

/**
 * Returns an observer that appends a line before each attempt to send a change. If the change was
 * sent, it also appends a line with the outcome.
 */
export function createAuditObserver(file: AuditFile, graph: SchemaManager): Observer {
  const definitionsOf = oncePer((schema: GraphQLSchema): Definitions => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    return new Map(
      mutations.map(({ extensions: { change } }) => [change?.formId, change?.fieldNames]),
    );
  });
  return {
    denied(first, count, ids) {
      const line = toLine({ event: 'refused', ...ids, ...first, count });
      // Nothing has happened yet, so a line that cannot be written is lost. No change is sent until
      // writing works again.
      orUndefined(() => file.append(line));
    },
    change(change) {
      const { ids, operation } = change;
      const id = randomUUID();
      let isSent = false;
      const end = (event: string, outcome: object) => {
        if (isSent) file.appendOutcome(toLine({ event, id, ...outcome }));
      };
      return {
        beforeSend(attempt) {
          const line = toLine(describe(change, id, attempt, definitionsOf(graph.current().schema)));
          try {
            file.append(line);
          } catch (cause) {
            throw new UpstreamError('unrecorded', {
              operation,
              cause,
              isUnsent: true,
              ...UNAVAILABLE,
            });
          }
          isSent = true;
        },
        end: (result) => end('done', idsOf(result ?? {})),
        fail(error) {
          const { extensions } = toClientError(locatedError(error, undefined, ['change']), ids);
          const code = extensions?.['code'];
          end(code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed', { code });
        },
      };
    },
  };
}

/** Characters that JSON does not escape, but that some readers treat as line ends. */
const SEPARATORS = /[\u0085\u2028\u2029]/g;
const escaped = (separator: string): string =>
  `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** Returns one line of JSON. It leaves out members that are `undefined`. */
function toLine(members: object): string {
  const line = JSON.stringify({ audit: 1, time: new Date().toISOString(), ...members });
  return `${line.replace(SEPARATORS, escaped)}\n`;
}

/** The members of a change's input or result that the audit reads. */
type Input = SomeIds &
  Partial<Readonly<Record<(typeof CONTENT_NAMES)[number], object | string | null>>>;

/** Ids in a request body can have any length. Other ids have been checked as part of a path. */
const MAX_ID_LENGTH = 256;

/** Returns the caller, the ids and the names of the changed fields. It contains no values. */
function describe(
  change: OutgoingChange,
  id: string,
  attempt: number,
  definitions: Definitions,
): object {
  const { ids, client, key } = change;
  const input: Input = change.input;
  const known = definitions.get(input.formId);
  const fields = namesIn(input.values).filter((field) => known?.has(field));
  const names = CONTENT_NAMES.flatMap((content) => namesIn(input[content]));
  return {
    event: 'sent',
    id,
    attempt,
    ...ids,
    caller: change.caller,
    role: change.role,
    subject: change.subject,
    client: client.name,
    operation: change.name,
    way: change.way ?? 'graphql',
    item: change.item,
    extension: change.extension,
    change: change.operation,
    ...idsOf(input),
    fields,
    otherFields: names.length - fields.length,
    keySha256: key && hash('sha256', key),
  };
}

/** Returns the ids in the input of a change, or in the record that it returned. */
const idsOf = (members: SomeIds): SomeIds =>
  Object.fromEntries(ID_NAMES.map((name) => [name, members[name]?.slice(0, MAX_ID_LENGTH)]));

/** Returns the names of the members of a content. A text has no members. */
const namesIn = (content: Input['values']): readonly string[] =>
  typeof content === 'string' ? [] : Object.keys(content ?? {});
