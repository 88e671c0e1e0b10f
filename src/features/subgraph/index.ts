import { z } from 'zod';

import { ON_OFF } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import { withRootFields } from '../../graphql/schema.ts';
import type { Feature, Gateway } from '../feature.ts';
import { createEntitiesField, entityTypes } from './entities.ts';
import { createServiceField, printSubgraph } from './sdl.ts';

const SETTINGS = z
  .object({
    FEDERATION: ON_OFF.prefault('off').meta({
      description:
        'Whether the graph is an Apollo Federation 2 subgraph, with `_service` and `_entities` for a router.',
      isOfSchema: true,
    }),
  })
  .meta({ title: 'Federation' });

/**
 * Serves the graph as an Apollo Federation 2 subgraph. A router combines it with the subgraphs of
 * other teams.
 */
export const subgraph: Feature = {
  settings: SETTINGS,
  commands: [
    {
      name: 'subgraph',
      summary: 'prints the schema as an Apollo Federation 2 subgraph',
      readsSchema: true,
      usage: [
        'Usage: caseway subgraph',
        '',
        'Prints the schema as an Apollo Federation 2 subgraph, for a registry or a composition. FEDERATION need not be set.',
        '',
        'It ends with 0, and with 1 where the forms cannot be read.',
      ].join('\n'),
      async run({ readGraph, env, stdout }) {
        const { schema } = await readGraph({ ...env, FEDERATION: 'on' });
        stdout(printSubgraph(schema).trimEnd());
      },
    },
  ],
  configure: ({ settings }) => (valuesOf(settings, SETTINGS).FEDERATION ? { open } : undefined),
};

/** The maximum number of type names in a log line. */
const MAX_NAMED = 100;
const UNPINNED = 'TYPED_ALIASES does not pin the names of types that other subgraphs may refer to';
const ADVICE =
  '`npm run -s aliases -- FILE` writes them: a name that other teams compose on must not change';

function open(gateway: Gateway): void {
  gateway.graph.addStep('whole', (schema) => {
    const unpinned = entityTypes(schema).filter(
      ({ extensions: { form } }) => form?.isPinned === false,
    );
    const types = unpinned.slice(0, MAX_NAMED).map(({ name }) => name);
    if (types.length > 0)
      gateway.log.warn({ types, count: unpinned.length, advice: ADVICE }, UNPINNED);
    // The fields that routers and registries expect of a subgraph.
    const fields = {
      _service: createServiceField(schema, gateway),
      _entities: createEntitiesField(schema),
    };
    return withRootFields(schema, 'query', fields);
  });
}
