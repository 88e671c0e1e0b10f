import { GraphQLError, Kind, type ValueNode } from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import type { Variables } from '../../graphql/admission/arguments.ts';
import type { SelectedOperation, Selection } from '../../graphql/admission/selections.ts';
import { toFormId } from '../../graphql/relay.ts';
import type { GivenIds } from '../../graphql/schema-metadata.ts';
import { ID_NAMES } from '../../upstream/records.ts';
import { memberAt } from './file.ts';
import type { Demand } from './role.ts';

/**
 * The maximum length of a global id, in characters. Variables are not checked yet at this point,
 * and a long text would take long to process.
 */
const MAX_ID_LENGTH = 1_024;
const textOf = (value: unknown): string => {
  const text = typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
  return text.length > MAX_ID_LENGTH ? '' : text;
};

const NAMES: readonly unknown[] = ['id', ...ID_NAMES];

/**
 * Returns ids that are read only when they are accessed. A value that is no text becomes an empty
 * id.
 */
const toGivenIds = (read: (name: string) => unknown) =>
  new Proxy({} as GivenIds, {
    get(_, name) {
      if (!NAMES.includes(name)) return undefined;
      const id = textOf(read(String(name)));
      return name === 'formId' ? (orUndefined(() => toFormId(id)) ?? '') : id;
    },
  });

/**
 * Returns the permission that each root field of an operation requires, by its uncoerced variables.
 * Without variables, it returns only the permissions that do not depend on them. Fields that
 * require no permission are left out.
 */
export function demandsOf(
  { selections, definition, rootType }: SelectedOperation,
  given: Variables | undefined,
): readonly (readonly [selection: Selection, demand: Demand])[] {
  /**
   * Reads one value from a literal or a variable. It looks at no other values, which may be large.
   */
  const readAt = (node: ValueNode | undefined, path: readonly string[]): unknown => {
    if (node?.kind === Kind.VARIABLE) return readVariable(node.name.value, path);
    const [member, ...rest] = path;
    if (node?.kind !== Kind.OBJECT)
      return member === undefined && node && 'value' in node ? node.value : undefined;
    return readAt(node.fields.find(({ name }) => name.value === member)?.value, rest);
  };
  const readVariable = (name: string, path: readonly string[]): unknown => {
    if (given === undefined) throw new Error(`The value of $${name} is not known.`);
    if (Object.hasOwn(given, name)) return memberAt(given[name], path);
    return readAt(
      definition.variableDefinitions?.find((one) => one.variable.name.value === name)?.defaultValue,
      path,
    );
  };
  const demandOf = ({ node }: Selection): Demand | undefined => {
    const field = node.name.value;
    if (field === '__typename') return undefined;
    if (field.startsWith('__')) return { of: 'schema' };
    // Only the extension's code knows the effects of its fields, so they have a permission of their
    // own.
    const { demand, isOwn } = rootType.getFields()[field]?.extensions ?? {};
    if (demand === undefined || isOwn) return { of: 'extensions', field };
    const read = (id: string): unknown => {
      const [argument, path] = definition.operation === 'mutation' ? ['input', [id]] : [id, []];
      return readAt(node.arguments?.find(({ name }) => name.value === argument)?.value, path);
    };
    return demand(toGivenIds(read));
  };
  /** A root field that needs other root fields also requires their permissions. */
  const withNeeds = (one: Selection): readonly Selection[] => [
    one,
    ...one.needs.flatMap(withNeeds),
  ];
  return selections.flatMap((selection) =>
    withNeeds(selection).flatMap((asked) => {
      const demand = given ? demandOf(asked) : orUndefined(() => demandOf(asked));
      return demand ? [[selection, demand] as const] : [];
    }),
  );
}

export const refusal = ({ node, key }: Selection, { locate }: SelectedOperation): GraphQLError =>
  locate(
    new GraphQLError('Your role does not allow this.', {
      path: [key],
      extensions: { code: 'FORBIDDEN', http: { status: 403 } },
    }),
    [node],
  );
