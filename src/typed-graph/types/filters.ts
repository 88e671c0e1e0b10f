import {
  type GraphQLEnumType,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { DateScalar } from '../scalars.ts';
import { MEANINGS, operatorsFor, spell } from '../search/operators.ts';
import type { PlainKind, Shape } from '../typed-form.ts';
import type { TypeBasis } from './basis.ts';

/** The inputs that filter lists by one field; `undefined` where the platform has no operator that would do. */
export interface Filters {
  readonly byId: GraphQLInputObjectType | undefined;
  plain(kind: PlainKind): GraphQLInputObjectType | undefined;
  choice(choices: GraphQLEnumType): GraphQLInputObjectType | undefined;
}

/** Makes the filters, each once. */
export function createFilters({ dialect, scalars }: TypeBasis): Filters {
  const made = new Map<string, GraphQLInputObjectType | undefined>();

  const filter = (stem: string, type: GraphQLInputType, kind: Shape['kind']) => {
    const name = `${stem}FilterInput`;
    if (made.has(name)) return made.get(name);
    const fields = operatorsFor(kind, dialect).map((operator) => {
      const value = operator === 'IN' ? new GraphQLList(new GraphQLNonNull(type)) : type;
      return [spell(operator), { type: value, description: MEANINGS[operator] }] as const;
    });
    const description = `What a field is compared with; all that is given must hold. ${NOTATION}`;
    const input = new GraphQLInputObjectType({ name, description, fields: Object.fromEntries(fields) });
    made.set(name, fields.length === 0 ? undefined : input);
    return made.get(name);
  };

  return {
    byId: filter('ID', GraphQLID, 'reference'),
    plain: (kind) => filter(STEMS[kind], kind === 'datetime' ? DateScalar : scalars[kind], kind),
    choice: (choices) => filter(choices.name, choices, 'choice'),
  };
}

const NOTATION = 'A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it.';

const STEMS: Readonly<Record<PlainKind, string>> = {
  text: 'Text',
  int: 'Int',
  long: 'Long',
  float: 'Float',
  decimal: 'Decimal',
  boolean: 'Boolean',
  date: 'Date',
  datetime: 'DateTime',
  json: 'JSON',
};
