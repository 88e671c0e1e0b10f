import { describe, expect, it } from 'vitest';
import { createSchema } from '../../../src/graphql/schema.ts';
import { createGraph, type Graph } from '../../../src/graphql/server.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { readConfiguration } from '../../../src/wiring/configuration.ts';
import { toLimits } from '../../../src/wiring/limits.ts';

const { settings } = readConfiguration({});
const LOG = createLog('silent');

async function openGraph(hasLane = true): Promise<Graph> {
  const limits = toLimits(settings).operation;
  const graph = createGraph({
    schema: createSchema(),
    log: LOG,
    isIntrospectable: true,
    limits,
    maxDocuments: 2,
    hasLane,
  });
  await graph.server.start();
  return graph;
}

const run = ({ server }: Graph, query: string, operationName?: string) =>
  server.executeOperation(
    { query, ...(operationName && { operationName }) },
    { contextValue: { meter: { stale: [] }, pages: {}, upstream: {} } as never },
  );

describe('the short lane', () => {
  it('has an operation whose document came for the second time', async () => {
    const graph = await openGraph();
    const asked = { text: '{ __typename }', operationName: undefined };

    await run(graph, asked.text);
    const afterOne = graph.lane?.find(asked);
    await run(graph, asked.text);

    expect(afterOne).toBeUndefined();
    expect(graph.lane?.find(asked)).toMatchObject({ kind: 'query' });
    expect(graph.lane?.knows(asked.text)).toBe(true);
  });

  it('knows operations by the name that was asked for', async () => {
    const graph = await openGraph();
    const text = 'query A { __typename } query B { a: __typename }';
    for (const name of ['A', 'A', 'B']) await run(graph, text, name);

    const names = ['A', 'B', undefined].map((operationName) => graph.lane?.find({ text, operationName })?.name);

    expect(names).toEqual(['A', 'B', undefined]);
  });

  it('leaves to the server what is not valid', async () => {
    const graph = await openGraph();
    const texts = ['{ nothing }', '{'];
    for (const text of [...texts, ...texts]) await run(graph, text);

    expect(texts.filter((text) => graph.lane?.knows(text))).toEqual([]);
  });

  it('forgets the operations that were asked for longest ago', async () => {
    const graph = await openGraph();
    const texts = ['a', 'b', 'c'].map((name) => `{ ${name}: __typename }`);
    for (const text of texts) await run(graph, text).then(() => run(graph, text));

    expect(texts.map((text) => graph.lane?.knows(text))).toEqual([false, true, true]);
  });

  it('is not there where it is switched off', async () => {
    expect((await openGraph(false)).lane).toBeUndefined();
  });
});
