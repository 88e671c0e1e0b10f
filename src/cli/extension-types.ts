import { type Command, readSchema } from './command.ts';

/** `npm run -s extension-types`: TypeScript types of the graph, for those who write extensions. */
export const extensionTypes: Command = {
  name: 'extension-types',
  summary: 'prints TypeScript types of the graph for the modules of EXTENSIONS',
  options: { snapshot: { type: 'string' } },
  usage: [
    'Usage: caseway extension-types [--snapshot FILE] > graph.ts',
    '',
    'Prints a TypeScript module beside which modules of EXTENSIONS know their graph: what records hold, what the platform’s',
    'fields take and give, and what own fields must give. The forms are those of the platform that the settings name; without',
    'one, those of the sandbox.',
    '',
    '  --snapshot FILE  take the forms from a file that TYPED_SNAPSHOT keeps, and ask nobody',
  ].join('\n'),

  async run(context) {
    const { schema, extensions } = await readSchema(context);
    // Loaded only where it is used.
    const { printTypes } = await import('../extensions/print-types.ts');
    const printed = extensions?.extended() ?? { platform: schema, schema, fields: [] };
    context.stdout(printTypes(printed));
  },
};
