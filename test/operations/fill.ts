import { formatNodeId } from '../../src/graphql/relay.ts';
import type { Row } from './row.ts';

/**
 * Creates the record that a text of the row names by `NEW`, replaces `NEW` by its id, and writes the
 * global ids.
 */
export async function fill(
  text: string,
  { created }: Pick<Row, 'created'>,
  post: (path: string, body: object) => Promise<string>,
): Promise<string> {
  const isNew = created !== undefined && text.includes('NEW');
  const answer = isNew ? await post(created.path, created.body) : '';
  const [, id = ''] = /"id[A-Z]\w+":(\d+)/.exec(answer) ?? [];
  return text.replace('NEW', id).replace(/GLOBAL\(([^)]+)\)/, (_, key: string) => {
    const [kind = '', ...ids] = key.split(' ');
    return formatNodeId(kind, ...ids);
  });
}
