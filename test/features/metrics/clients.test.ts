import { describe, expect, it } from 'vitest';

import { startWatched } from './support.ts';

const CLIENTS = 'caseway_client_operations_total';
const QUERY = '{ __typename }';

const apollo = (name: string, version: string) => ({
  'apollographql-client-name': name,
  'apollographql-client-version': version,
});

describe('clients', () => {
  it('are counted and logged by the name and version that they state', async () => {
    const { execute, figures, operations } = await startWatched();

    await execute(QUERY, apollo('@acme/web', '1.4.0'));
    await execute(QUERY, apollo('@acme/web', '1.4.0'));
    await execute(QUERY, { 'graphql-client-name': 'phone', 'graphql-client-version': '7' });
    await execute(QUERY);

    expect(await figures(CLIENTS)).toEqual({
      'client="@acme/web",version="1.4.0"': 2,
      'client="phone",version="7"': 1,
      'client="none",version="none"': 1,
    });
    expect(operations().map(({ client, clientVersion }) => [client, clientVersion])).toEqual([
      ['@acme/web', '1.4.0'],
      ['@acme/web', '1.4.0'],
      ['phone', '7'],
      [undefined, undefined],
    ]);
  });

  it('have no name where it is too long or has invalid characters', async () => {
    const { execute, figures } = await startWatched();

    await execute(QUERY, apollo('x'.repeat(65), '1'));
    await execute(QUERY, apollo('web"} 1', '<b>'));

    expect(await figures(CLIENTS)).toEqual({
      'client="none",version="1"': 1,
      'client="none",version="none"': 1,
    });
  });

  it('beyond the first hundred are counted together', async () => {
    const { execute, figures } = await startWatched();

    for (let count = 0; count < 103; count++) await execute(QUERY, apollo('web', `1.${count}`));
    await execute(QUERY, apollo('web', '1.0'));

    const counted = await figures(CLIENTS);
    expect(Object.keys(counted)).toHaveLength(101);
    expect(counted).toMatchObject({
      'client="web",version="1.0"': 2,
      'client="other",version="other"': 3,
    });
  });
});
