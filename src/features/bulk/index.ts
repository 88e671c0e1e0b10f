import type { Feature } from '../../feature.ts';
import { addBulkWrites } from './schema.ts';

/** For each mutation of one instance one of up to a hundred, each with an outcome of its own. */
export const bulk: Feature = {
  configure: () => ({
    open: ({ graph, log }) => graph.addStep('derived', (schema) => addBulkWrites(schema, log)),
  }),
};
