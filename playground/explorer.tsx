import {
  DOC_EXPLORER_PLUGIN,
  DocExplorer,
  Search,
  TypeLink,
  useDocExplorer,
} from '@graphiql/plugin-doc-explorer';
import { type GraphiQLPlugin, useGraphiQL } from '@graphiql/react';
import { type GraphQLNamedType, type GraphQLSchema, isInputObjectType } from 'graphql';

import { isFormType, titleOf } from './samples/typed.ts';

/** GraphiQL's explorer, with the types grouped by form. */
export const explorer: GraphiQLPlugin = { ...DOC_EXPLORER_PLUGIN, content: Explorer };

function Explorer() {
  const schema = useGraphiQL(({ schema }) => schema);
  const visited = useDocExplorer();
  if (!schema || visited.length > 1) return <DocExplorer />;
  return (
    <section className="graphiql-doc-explorer" aria-label="Documentation Explorer">
      <h2 className="samples-title">Explorer</h2>
      <Search />
      {Array.from(groupTypes(schema), ([title, types]) => (
        <details className="explorer-group" key={title} open={title === OPERATIONS}>
          <summary>{title}</summary>
          <ul className="builder-list">
            {types.map((type) => (
              <li key={type.name}>
                <TypeLink type={type} />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

const OPERATIONS = 'Operations';
const SHARED = 'All forms, cases and rules';

/** Returns the types by the title of their form. The names of a form's types contain its name. */
function groupTypes(schema: GraphQLSchema): ReadonlyMap<string, readonly GraphQLNamedType[]> {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const roots: readonly (GraphQLNamedType | null | undefined)[] = [
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ];
  // The longest name first: `ExpenseReportEdge` belongs to `ExpenseReport`, not to `Expense`.
  const forms = types.filter(isFormType).toSorted((a, b) => b.name.length - a.name.length);
  const titleFor = (type: GraphQLNamedType): string => {
    if (roots.includes(type)) return OPERATIONS;
    const form = forms.find(({ name }) => type.name.includes(name));
    return form ? titleOf(form) : SHARED;
  };
  const groups = Map.groupBy(types, titleFor);
  const order = (title: string) => Number(title === SHARED) - Number(title === OPERATIONS);
  return new Map([...groups].toSorted(([a], [b]) => order(a) - order(b) || a.localeCompare(b)));
}

/**
 * Puts the types of forms first, and inputs last. GraphiQL lists and searches types in the order of
 * this map.
 */
export function rankTypes(schema: GraphQLSchema): void {
  const types = schema.getTypeMap();
  for (const type of Object.values(types).toSorted((a, b) => rankOf(a) - rankOf(b))) {
    delete types[type.name];
    types[type.name] = type;
  }
}

function rankOf(type: GraphQLNamedType): number {
  if (isFormType(type)) return 0;
  if (isInputObjectType(type)) return 3;
  return /(Connection|Edge|Payload|Result)$/.test(type.name) ? 2 : 1;
}
