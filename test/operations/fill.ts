import type { Row } from './row.ts';

/** Creates the record that a text of the row names by `NEW`, and replaces `NEW` by its id. */
export async function fill(
  text: string,
  { created }: Pick<Row, 'created'>,
  post: (path: string, body: object) => Promise<string>,
): Promise<string> {
  if (created === undefined || !text.includes('NEW')) return text;
  const answer = await post(created.path, created.body);
  return text.replace('NEW', /"id[A-Z]\w+":(\d+)/.exec(answer)?.[1] ?? '');
}
