import { capitalize, isMarked, mark, splitMark, toPascal, uncapitalize, wordsOf } from './words.ts';

/** What a form is called in the graph. */
export interface FormNames {
  /** Its object type, such as `PurchaseRequest`. */
  readonly type: string;
  /** `Query`'s field for one instance, such as `purchaseRequest`. */
  readonly one: string;
  /** `Query`'s field for a list of them, such as `purchaseRequests`. */
  readonly many: string;
}

/**
 * Gives the names of a form by its id alone, so that they are the same wherever and whenever they are given, whatever other
 * forms there are.
 *
 * Every name without a mark belongs to one id: lower-case words joined by hyphens (`purchase-request`) or by underscores
 * (`purchase_request`, which is `Purchase_request`), or capitals (`FORM7`). An id of another style, or whose name is not
 * free, has a mark.
 *
 * @param isReserved tells the names that the rest of the graph has.
 */
export function nameForm(formId: string, isReserved: (name: string) => boolean): FormNames {
  const bare = bareName(formId);
  const isFree = bare !== undefined && !isReserved(bare) && !isDerived(bare);
  return namesOfType(isFree ? bare : mark(toPascal(['Form', ...wordsOf(formId)].slice(startOf(formId))), formId));
}

/** Gives the other names that follow from a type's name. */
export function namesOfType(type: string): FormNames {
  const [stem, marked] = splitMark(type);
  const word = HAS_LOWER_CASE.test(stem) ? uncapitalize(stem) : stem;
  const isPlural = word.endsWith('s');
  return { type, one: `${word}${isPlural ? 'Instance' : ''}${marked}`, many: `${pluralOf(word)}${marked}` };
}

/** Whether a name ends as those do that are made of other types' names. */
export const isDerived = (name: string): boolean =>
  /(Connection|Edge|Input|Payload|Instances?|Where|OrderBy|Values)$/.test(name);

const KEBAB = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/;
const SNAKE = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const CAPITALS = /^[A-Z][A-Z0-9]+$/;
const HAS_LOWER_CASE = /[a-z]/;

/** The name that belongs to this id and to no other, if it has one. */
export function bareName(formId: string): string | undefined {
  if (CAPITALS.test(formId)) return formId;
  if (SNAKE.test(formId)) return isMarked(formId) ? undefined : capitalize(formId);
  if (!KEBAB.test(formId)) return undefined;
  const name = toPascal(formId.split('-'));
  // A name in capitals belongs to the id in capitals.
  return HAS_LOWER_CASE.test(name) ? name : undefined;
}

/** A type's name starts with a letter. */
const startOf = (formId: string): number => (/^[A-Za-z]/.test(wordsOf(formId)[0] ?? '') ? 1 : 0);

/** No two words have one plural, each ends in `s`, and no word has a plural that ends in `Instance`. */
function pluralOf(word: string): string {
  // English would give these the plural of another word: `movie` that of `movy`, `cache` that of `cach`.
  if (/(s|[^aeiou]ie|xe|ze|che|she)$/i.test(word)) return `${word}Instances`;
  if (/[^aeiou\d_]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}
