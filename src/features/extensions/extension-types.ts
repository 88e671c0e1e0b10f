import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  isUnionType,
} from 'graphql';
import type { Command } from '../../command.ts';
import type { OwnField } from './extend-schema.ts';
import { isMethod, SESSION_FIELDS } from './views.ts';

/** `npm run -s extension-types`: TypeScript types of the graph, for those who write extensions. */
export const extensionTypes: Command = {
  name: 'extension-types',
  summary: 'prints TypeScript types of the graph for the modules of EXTENSIONS',
  readsSchema: true,
  usage: [
    'Usage: caseway extension-types > graph.ts',
    '',
    'Prints a TypeScript module beside which modules of EXTENSIONS know their graph: what records hold, what the platform’s',
    'fields take and give, and what own fields must give. The forms are those of the platform that the settings name; without',
    'one, those of the sandbox.',
  ].join('\n'),

  async run(context) {
    const schema = await context.readSchema();
    context.stdout(printTypes(schema.extensions.extended ?? { platform: schema, schema, fields: [] }));
  },
};

/** The parts of the schema whose types are printed. */
interface Printed {
  /** The platform's, as views show it. */
  readonly platform: GraphQLSchema;
  /** The graph that clients get. */
  readonly schema: GraphQLSchema;
  readonly fields: readonly OwnField[];
}

/** Gives a TypeScript module that tells `caseway/extension` a graph: its records, arguments, and the results of own fields. */
function printTypes({ platform, schema, fields }: Printed): string {
  const ofPlatform = Object.values(platform.getTypeMap()).map((type) => printType(type, printViewField));
  const services = [...new Set(fields.flatMap(({ extension }) => Object.keys(extension.services ?? {})))];
  const resolved = new Set(fields.flatMap(({ field, resolver }) => (resolver ? field : [])));
  const printOwnField: PrintField = (field) => {
    const optional = isNonNullType(field.type) && !resolved.has(field) ? '' : '?';
    return `readonly ${field.name}${optional}: ${print(field.type, GIVEN, ' | null | undefined')};`;
  };
  const own = Object.values(schema.getTypeMap()).filter(({ name }) => platform.getType(name) === undefined);
  return [
    '// The types of this graph for modules of EXTENSIONS. Printed by "extension-types"; do not edit.',
    "import type * as caseway from 'caseway/extension';",
    '',
    "declare module 'caseway/extension' {",
    '  interface Graph extends CasewayGraph {}',
    '}',
    '',
    'interface CasewayGraph {',
    '  readonly platform: { readonly query: Query; readonly mutation: Mutation };',
    `  readonly services: { ${services.map((name) => `readonly ${JSON.stringify(name)}: caseway.Service;`).join(' ')} };`,
    ...(fields.length === 0 ? [] : ['  readonly resolvers: {', ...printResolvers(fields), '  };']),
    '}',
    '',
    ...[...ofPlatform, ...own.map((type) => printType(type, printOwnField))].filter((text) => text !== ''),
  ].join('\n');
}

function printResolvers(fields: readonly OwnField[]): string[] {
  const byType = Map.groupBy(fields, ({ typeName }) => typeName);
  return [...byType].flatMap(([typeName, own]) => [
    `    readonly ${typeName}: {`,
    ...own.map(({ field }) => {
      const source = typeName === 'Query' || typeName === 'Mutation' ? 'undefined' : typeName;
      const args = field.args.map((arg) =>
        printMember(arg, isRequiredArgument(arg) || arg.defaultValue !== undefined, GIVEN),
      );
      return `      readonly ${field.name}: caseway.FieldResolver<${source}, {${args.map((arg) => ` ${arg}`).join('')} }, ${print(field.type, GIVEN, ' | null | undefined')}>;`;
    }),
    '    };',
  ]);
}

type PrintField = (field: GraphQLField<unknown, unknown>) => string;

function printType(type: GraphQLNamedType, printField: PrintField): string {
  const { name } = type;
  if (isIntrospectionType(type) || isScalarType(type)) return '';
  if (isEnumType(type))
    return `export type ${name} = ${type
      .getValues()
      .map((one) => `'${one.name}'`)
      .join(' | ')};`;
  if (isUnionType(type))
    return `export type ${name} = ${type
      .getTypes()
      .map((one) => one.name)
      .join(' | ')};`;
  const members = isInputObjectType(type)
    ? Object.values(type.getFields()).map((field) => printMember(field, isRequiredInputField(field), SENT))
    : Object.values(type.getFields()).filter(isShown(type)).map(printField);
  return [`export interface ${name} {`, ...members.map((member) => `  ${member}`), '}'].join('\n');
}

const isShown =
  ({ name: typeName }: GraphQLNamedType) =>
  ({ name }: { readonly name: string }): boolean =>
    !(typeName === 'Query' || typeName === 'Mutation') || !SESSION_FIELDS.includes(name);

/** A field of a view. */
const printViewField: PrintField = (field) => {
  const type = print(field.type, GIVEN, ' | null');
  if (!isMethod(field)) return `readonly ${field.name}: ${type};`;
  const args = field.args.map((arg) => printMember(arg, isRequiredArgument(arg), SENT)).join(' ');
  const optional = field.args.some(isRequiredArgument) ? '' : '?';
  return `${field.name}(${args === '' ? '' : `args${optional}: { ${args} }`}): globalThis.Promise<${type}>;`;
};

function printMember(
  { name, type }: GraphQLArgument | GraphQLInputField,
  isRequired: boolean,
  scalars: Scalars,
): string {
  return `readonly ${name}${isRequired ? '' : '?'}: ${print(type, scalars, ' | null')};`;
}

type Scalars = Readonly<Record<string, string>>;

/** Scalars as resolvers have them. */
const GIVEN: Scalars = {
  Boolean: 'boolean',
  Date: 'string',
  DateTime: 'globalThis.Date',
  Decimal: 'string',
  Float: 'number',
  ID: 'string',
  Int: 'number',
  JSONObject: '{ readonly [name: string]: unknown }',
  Long: 'string',
  String: 'string',
};

/** Scalars as the platform's fields take them. */
const SENT: Scalars = {
  ...GIVEN,
  DateTime: 'globalThis.Date | string',
  Decimal: 'string | number',
  Long: 'string | number',
};

function print(type: GraphQLType, scalars: Scalars, absent: string): string {
  if (isNonNullType(type)) return printPresent(type.ofType, scalars, absent);
  return `${printPresent(type, scalars, absent)}${absent}`;
}

function printPresent(type: GraphQLType, scalars: Scalars, absent: string): string {
  if (isListType(type)) return `readonly (${print(type.ofType, scalars, absent)})[]`;
  if (isNonNullType(type)) return printPresent(type.ofType, scalars, absent);
  if (isScalarType(type)) return scalars[type.name] ?? 'unknown';
  return isObjectType(type) || isInterfaceType(type) ? type.name : String(type);
}
