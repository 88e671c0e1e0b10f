import { type GraphQLSchema, introspectionFromSchema, isAbstractType } from 'graphql';
import { type Command, UsageError } from '../features/command.ts';
import { createSchema } from '../graphql/schema.ts';
import { printForGenerators } from '../graphql/semantic-non-null.ts';

/** `caseway schema`: prints the public schema for code generators and reviews. */
export const schema: Command = {
  name: 'schema',
  summary: 'prints the public schema (SDL)',
  options: {
    generic: { type: 'boolean' },
    format: { type: 'string' },
  },
  readsSchema: true,
  usage: [
    'Usage: caseway schema [--generic] [--format FORMAT]',
    '',
    'Prints the public schema. It reads the forms from the configured platform, or from the sandbox if no platform',
    'is set.',
    '',
    '  --generic        leave out the types of forms',
    '  --format FORMAT  sdl (default); introspection, as JSON for graphcache; or possible-types, the types of each',
    '                   interface as JSON for Apollo Client',
    '',
    'Exit code: 0; 1 if the forms cannot be read; 2 for wrong arguments.',
  ].join('\n'),

  async run({ options: { format = 'sdl', generic }, stdout, readGraph }) {
    const print = FORMATS[String(format)];
    if (print === undefined) {
      throw new UsageError(
        `--format is one of ${Object.keys(FORMATS).join(', ')}, and not ${JSON.stringify(format)}.`,
      );
    }
    stdout(print(generic ? createSchema() : (await readGraph()).schema));
  },
};

const FORMATS: Readonly<Record<string, (schema: GraphQLSchema) => string>> = {
  sdl: (schema) => printForGenerators(schema).trimEnd(),
  introspection: (schema) =>
    JSON.stringify(introspectionFromSchema(schema, { descriptions: false })),
  'possible-types': (schema) => JSON.stringify(possibleTypesOf(schema), undefined, 2),
};

/** Returns the names of the types that each interface or union can resolve to. */
function possibleTypesOf(schema: GraphQLSchema): Record<string, string[]> {
  const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
  return Object.fromEntries(
    abstract.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
}
