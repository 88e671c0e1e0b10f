import { expect, it } from 'vitest';

import { startFormPlatform } from '../../support/form-platform.ts';
import { startLiveGateway } from '../typed-graph/support/start.ts';
import { connect, formOf, writeDocuments } from './support.ts';

it('the tools of a connected client follow the forms: a document that does not fit any more is no tool', async () => {
  const platform = await startFormPlatform([formOf('name', 'size')], {
    valuesOf: () => ({ name: 'a', size: 'b' }),
  });
  const DOCUMENTS = writeDocuments(
    '"Names." query Names { things { nodes { name } } }',
    '"Sizes." query Sizes { things { nodes { size } } }',
  );
  const gateway = await startLiveGateway({ ...platform.env, MCP: 'queries', DOCUMENTS });
  const client = await connect(gateway.url);
  const toolNames = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await toolNames()).toEqual(['Names', 'Sizes']);

  platform.define([formOf('name')]);
  await gateway.until(async () => !(await gateway.fieldsOf('Thing')).includes('size'));

  expect(await toolNames()).toEqual(['Names']);
  await expect(client.callTool({ name: 'Sizes', arguments: {} })).rejects.toThrow(/no tool/);
});
