import { composeSchema } from '../../src/typed-graph/compose.ts';
import { defaultDialect } from '../../src/upstream/dialect.ts';
import { readForm } from '../../src/upstream/reading/form.ts';
import type { Composition } from './composition.ts';
import { defineForms } from './definitions.ts';

// A process of its own, in which nothing has run before: so it is when a gateway starts.
const [, , forms = '1', fields = '10'] = process.argv;
const MB = 2 ** 20;

const dialect = defaultDialect();
const records = defineForms(Number(forms), Number(fields)).map((definition) =>
  readForm(JSON.parse(JSON.stringify(definition)), dialect),
);
const heapBytes = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const compose = () => {
  const startedMs = performance.now();
  const composed = composeSchema(records, { dialect });
  return { composed, tookMs: performance.now() - startedMs };
};

const before = heapBytes();
const first = compose();
const heapMb = (heapBytes() - before) / MB;
const again = compose();
const composition: Composition = {
  firstMs: first.tookMs,
  againMs: again.tookMs,
  heapMb,
  types: Object.keys(first.composed.schema.getTypeMap()).length,
};
process.send?.(composition);
process.disconnect();
