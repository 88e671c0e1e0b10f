import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { buildSchema, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { startGateway } from '../../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (pattern: string) =>
  globSync(pattern, { cwd: ROOT })
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

let schema: GraphQLSchema;
beforeAll(async () => {
  const gateway = await startGateway({ PLAYGROUND: 'on' });
  schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
  await gateway.close();
});

describe('the samples', () => {
  it.each(read('playground/samples/**/*.graphql'))('$file is valid against the schema', ({ text }) => {
    expect(validate(schema, parse(text))).toEqual([]);
  });

  it.each(read('playground/samples/**/*.graphql'))(
    '$file contains one operation, named like the file',
    ({ file, text }) => {
      const names = parse(text).definitions.map((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION ? definition.name?.value : undefined,
      );

      expect(names).toEqual([pascalCase(basename(file, '.graphql'))]);
    },
  );
});

const pascalCase = (name: string) => name.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase());
