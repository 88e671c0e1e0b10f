import { describe, expect, it } from 'vitest';

import { scriptPlatform } from '../../support/scripted-platform.ts';
import { startConnected, writeDocuments } from './support.ts';

const DOCUMENTS = [
  '"Lists rows." query Rows($first: Int!) { instances(formId: "f", first: $first) { nodes { values } } }',
  '"Adds a row." mutation Add { createInstance(input: { formId: "f", values: {} }) { instance { values } } }',
];
/** With its name, brackets and quotes a row has a few characters more. */
const ROW_LENGTH = 30_000;

/** A client of tools with large rows. A created record is larger than the limit of a response. */
async function connectToLargeRows() {
  const text = 'x'.repeat(ROW_LENGTH);
  const platform = await scriptPlatform(({ method }) => {
    if (method !== 'GET')
      return { status: 201, body: { idInstance: 1, values: { text: text.repeat(40) } } };
    return {
      body: Array.from({ length: 40 }, (_, row) => ({ idInstance: row + 1, values: { text } })),
    };
  });
  const env = { ...platform.env, TYPED_FORMS: 'none', DOCUMENTS: writeDocuments(...DOCUMENTS) };
  return { ...(await startConnected(env)), platform };
}

describe('an answer of a tool', () => {
  it('is given up to a million characters, and is refused beyond with advice', async () => {
    const { client } = await connectToLargeRows();

    const fits = await client.callTool({ name: 'Rows', arguments: { first: 33 } });
    const exceeds = await client.callTool({ name: 'Rows', arguments: { first: 34 } });

    expect([fits.isError, JSON.stringify(fits.structuredContent).length > 33 * ROW_LENGTH]).toEqual(
      [undefined, true],
    );
    expect(exceeds).toMatchObject({
      isError: true,
      content: [
        {
          type: 'text',
          text: expect.stringMatching(/^ANSWER_TOO_LARGE: .* fewer rows.* fewer fields\.$/),
        },
      ],
    });
  });

  it('that is too large reports that a mutation has taken effect', async () => {
    const { client, platform } = await connectToLargeRows();

    const { isError, content } = await client.callTool({ name: 'Add', arguments: {} });

    expect([isError, content]).toEqual([
      true,
      [
        {
          type: 'text',
          text: expect.stringMatching(/^ANSWER_TOO_LARGE: .*What was changed is changed/),
        },
      ],
    ]);
    expect(platform.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});
