import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

import { createSchema } from '../src/graphql/schema.ts';
import { OPERATIONS } from '../src/upstream/operations.ts';
import { ID_NAMES, VERBS } from '../src/upstream/records.ts';

/**
 * Writes generated parts of files from the records of operations and from the graph's descriptions,
 * which name the operation of each field (part of `npm run generate`). With `--check` it fails if a
 * part is outdated.
 */
const operations = Object.values(OPERATIONS);
const names = ['getToken', ...operations.map(({ name }) => name)];

/** Returns the table in `docs/graph.md`. */
function table(schema: GraphQLSchema): string {
  const rows = operations.map(({ name, method, is }) => {
    const fields = fieldsThatName(schema, name, is === 'read' ? 'Query' : 'Mutation');
    if (fields.length === 0)
      throw new Error(`No description in schema/ names the operation ${name} in backticks.`);
    const places = fields.map((field) => `\`${field}\``).join(', ');
    return `| \`${name}\`${/Intance/.test(name) ? ' (sic)' : ''} | ${method} | ${is} | ${places} |`;
  });
  return [
    '| REST operation | Method | Is a | In the graph |',
    '|---|---|---|---|',
    '| `getToken` | POST | | inside the gateway; `Mutation.signIn` with a caller’s own credentials |',
    ...rows,
  ].join('\n');
}

/**
 * Returns the fields whose description names an operation: fields of `Mutation` for changes, fields
 * of other types for reads.
 */
function fieldsThatName(schema: GraphQLSchema, name: string, root: 'Query' | 'Mutation'): string[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isInterfaceType(type) || isObjectType(type))
    .filter(
      (type) =>
        type.getInterfaces().every(isNode) && (type.name === 'Mutation') === (root === 'Mutation'),
    )
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ description }) => description?.includes(`\`${name}\``))
        .map((field) => `${type.name}.${field.name}`),
    );
}

const isNode = ({ name }: { readonly name: string }) => name === 'Node';

const quoted = (name: string) => `\`${name}\``;

/** The verbs of roles, each with the methods of the operations that need it. */
const verbs = VERBS.map((verb) => {
  const needing = operations.filter(({ needs }) => {
    const need = needs({} as never);
    return need.of === 'forms' && need.verb === verb;
  });
  return `${quoted(verb)} (${[...new Set(needing.map(({ method }) => method))].join(', ')})`;
});

/** Each part of a file lies between two texts, which are kept. */
const parts = [
  ['docs/roles.md', '| `forms` | by the id of a form: ', '. `*` is all forms', verbs.join(', ')],
  [
    'docs/audit.md',
    '[spelled as there](graph.md) |\n| ',
    ' | `sent` | the changed object',
    ID_NAMES.map(quoted).join(', '),
  ],
  ['docs/graph.md', '## REST operations and fields\n\n', '\n\n', table(createSchema())],
  [
    'testing/index.ts',
    'export type OperationName =\n',
    ';\n',
    names.map((name) => `  | '${name}'`).join('\n'),
  ],
] as const;

for (const [file, start, end, made] of parts) {
  const path = join(import.meta.dirname, '..', file);
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(start) + start.length;
  const changed = text.slice(0, from) + made + text.slice(text.indexOf(end, from));
  if (!process.argv.includes('--check')) writeFileSync(path, changed);
  else if (changed !== text) {
    process.stderr.write(`${file} is stale: run npm run generate\n`);
    process.exitCode = 1;
  }
}
