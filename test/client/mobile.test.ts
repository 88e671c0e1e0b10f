import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  extendSchema,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  parse,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { runCommand } from '../support/run.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/mobile-clients.md'), 'utf8');

/** The directives that the generators define. */
const DIRECTIVES = `
  directive @typePolicy(keyFields: String!) on OBJECT | INTERFACE
  directive @link(url: String!, import: [String]) repeatable on SCHEMA
  directive @catchByDefault(to: CatchTo!) on SCHEMA
  enum CatchTo { RESULT NULL THROW }
`;

/** The type and the key fields of a policy in `extra.graphqls`. */
const POLICY = /(\w+) @typePolicy\(keyFields: "(.*)"\)/g;

let schema: GraphQLSchema;
beforeAll(async () => {
  const { stdout } = await runCommand(['schema']);
  schema = buildSchema(stdout + DIRECTIVES);
});

describe('docs/mobile-clients.md', () => {
  it.each(['extra.graphqls', 'nullability.graphqls'])('has a valid %s', (name) => {
    expect(() => extendSchema(schema, parse(fileOf(name)))).not.toThrow();
  });

  it('has a policy, whose key fields are never null, for each type with an id', () => {
    const policies = [...fileOf('extra.graphqls').matchAll(POLICY)];
    const identified = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter((type) => 'id' in type.getFields());

    for (const [, name = '', keyFields = ''] of policies) {
      const fields = (schema.getType(name) as GraphQLObjectType).getFields();
      for (const field of keyFields.split(' ')) expect(String(fields[field]?.type)).toBe('ID!');
    }
    expect(policies.map(([, name]) => name)).toContain('Node');
    expect(identified.length).toBeGreaterThan(4);
    for (const type of identified)
      expect(type.getInterfaces().map(({ name }) => name)).toContain('Node');
  });

  it('maps each custom scalar in Kotlin', () => {
    const mapped = [...PAGE.matchAll(/mapScalarToKotlin\w+\("(\w+)"\)/g)].map(([, name]) => name);
    const custom = Object.values(schema.getTypeMap())
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => name);

    expect(mapped.sort()).toEqual(custom.sort());
  });
});

/** Returns a file of the page. */
function fileOf(name: string): string {
  const [, text] = new RegExp(`^\`\`\`graphql ${name}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? [];
  if (text === undefined) throw new Error(`The page has no file ${name}.`);
  return text;
}
