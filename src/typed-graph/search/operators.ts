import type { Dialect, SearchOperator } from '../../upstream/dialect.ts';
import type { Shape } from '../typed-form.ts';

const EXACT: readonly SearchOperator[] = ['EQ', 'NE', 'IN'];
const ORDERED: readonly SearchOperator[] = ['EQ', 'NE', 'GT', 'GE', 'LT', 'LE', 'IN'];

/** By which operators the values of each type are searched. */
const FITTING: Readonly<Record<Shape['kind'], readonly SearchOperator[]>> = {
  text: ['EQ', 'NE', 'LIKE', 'IN'],
  int: ORDERED,
  long: ORDERED,
  float: ORDERED,
  decimal: ORDERED,
  boolean: ['EQ', 'NE'],
  date: ORDERED,
  // The platform's notation cannot carry a time, only a day: from it on, or before it.
  datetime: ['GE', 'LT'],
  choice: EXACT,
  reference: EXACT,
  json: [],
};

/** Gives the operators that fit a type's values and that the platform has. */
export const operatorsFor = (kind: Shape['kind'], { search }: Dialect): readonly SearchOperator[] =>
  FITTING[kind].filter((operator) => search.operators[operator] !== null);

/** How an operator is spelled as a field of a filter. */
export const spell = (operator: SearchOperator): string => operator.toLowerCase();

export const MEANINGS: Readonly<Record<SearchOperator, string>> = {
  EQ: 'Equal to this.',
  NE: 'Not equal to this.',
  GT: 'Greater than this.',
  GE: 'Greater than this or equal to it.',
  LT: 'Less than this.',
  LE: 'Less than this or equal to it.',
  LIKE: 'Matches this pattern; how patterns are written is the platform’s.',
  IN: 'Equal to one of these.',
};
