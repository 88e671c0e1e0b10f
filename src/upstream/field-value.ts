import { isJsonObject, type Json, valueAt } from '../core/json.ts';
import { oncePer } from '../core/once-per.ts';
import { LINK_MEMBERS, toItems, unreadableValue, unwrap } from './decoders.ts';
import type { Dialect } from './dialect.ts';
import type { InstanceContent } from './records.ts';

/**
 * Returns the value of a field. `undefined` if the instance has no value.
 *
 * @throws {UpstreamError} `malformed` if another member may contain the value.
 */
export function fieldValue(
  content: InstanceContent,
  field: string,
  dialect: Dialect,
): Json | undefined {
  const value = valueAt(content.values, field);
  if (value !== undefined || !misplacedIn(dialect)(content).has(field)) return value;
  throw unreadableValue(field, MISPLACED);
}

const MISPLACED =
  'is not among the values, and another member may hold it: see instance.values of the dialect, ' +
  'or have an adapter rename or move it';

/**
 * Finds the missing fields of an instance that another member may contain: a member with a similar
 * name, one beside the values, or an object in a group such as `relationships` of JSON:API.
 */
const misplacedIn = oncePer((dialect: Dialect) => {
  const { instance } = dialect;
  const own = [...instance.id, 'idForm', ...instance.values, ...LINK_MEMBERS];
  return oncePer((content: InstanceContent): ReadonlySet<string> => {
    const { values, fields } = content;
    const found = new Set<string>();
    if (fields === undefined) return found;
    const byWord = fieldsByWord(fields);
    const isRead = (name: string): boolean =>
      own.includes(name) || (fields.has(name) && Object.hasOwn(values, name));
    for (const [name, value] of membersOf(content, isRead)) {
      const field = byWord.get(wordOf(name)) ?? byWord.get(wordOf(name.replace(SUFFIX, '')));
      const held = isJsonObject(value) ? unwrap(value, dialect) : value;
      if (field !== undefined && toItems(held).length > 0) found.add(field);
    }
    return found;
  });
});

/** Returns the unread members of an instance, and the objects inside their groups. */
function* membersOf(
  { values, rawLinks }: InstanceContent,
  isRead: (name: string) => boolean,
): Generator<readonly [string, Json]> {
  for (const members of [values, rawLinks.record]) {
    for (const [name, value] of Object.entries(members)) {
      if (isRead(name)) continue;
      yield [name, value];
      const group = isJsonObject(value) ? Object.entries(value) : [];
      yield* group.filter(([inner, held]) => isJsonObject(held) && !isRead(inner));
    }
  }
}

const fieldsByWord = oncePer(
  (fields: ReadonlySet<string>) => new Map([...fields].map((field) => [wordOf(field), field])),
);

/** Suffixes of a reference's name for its id. */
const SUFFIX = /(?:Id|ID|_id|_value)$/;

/** Returns a name in lower case without separators. */
const wordOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
