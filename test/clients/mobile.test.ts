import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  extendSchema,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  parse,
  type TypeSystemExtensionNode,
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
    const policies = parse(fileOf('extra.graphqls')).definitions.map(policyOf);
    const identified = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter((type) => 'id' in type.getFields());

    for (const [name, fields] of policies) {
      const type = schema.getType(name);
      if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${name} is no object.`);
      const types = fields.map((field) => String(type.getFields()[field]?.type));
      expect(types).toEqual(fields.map(() => 'ID!'));
    }
    const node = policies.find(([name]) => name === 'Node')?.[0] ?? '';
    expect(identified.length).toBeGreaterThan(4);
    for (const type of identified)
      expect(type.getInterfaces().map(({ name }) => name)).toContain(node);
  });

  it('maps each custom scalar in Kotlin', () => {
    const mapped = [...PAGE.matchAll(/mapScalarToKotlin\w+\("(\w+)"\)/g)].map(([, name]) => name);
    const custom = Object.values(schema.getTypeMap())
      .filter(isScalarType)
      .filter((type) => !isSpecifiedScalarType(type));

    expect(mapped.sort()).toEqual(custom.map(({ name }) => name).sort());
  });
});

/** Returns a file of the page. */
function fileOf(name: string): string {
  const [, text] = new RegExp(`^\`\`\`graphql ${name}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? [];
  if (text === undefined) throw new Error(`The page has no file ${name}.`);
  return text;
}

/** Returns the type of a policy and its key fields. */
function policyOf(node: { readonly kind: string }): readonly [string, readonly string[]] {
  const extension = node as TypeSystemExtensionNode;
  if (!('name' in extension)) throw new Error(`${node.kind} has no type.`);
  const value = extension.directives?.[0]?.arguments?.[0]?.value;
  const fields = value?.kind === Kind.STRING ? value.value.split(' ') : [];
  return [extension.name.value, fields];
}
