/** A part of an answer: its text, or a gap where the text is not complete yet. */
export type Piece = string | Gap;

/** A place in the answer that waits for something, or that holds one which does. */
export interface Gap {
  readonly parts: Piece[];
  /** What it stands in; `undefined` for the whole answer, and for a place that the answer has lost. */
  around: Gap | undefined;
  /** Whether `null` may stand here. */
  readonly isNullable: boolean;
  isNull: boolean;
}

export function createGap(isNullable: boolean): Gap {
  return { parts: [], around: undefined, isNullable, isNull: false };
}

/** Puts pieces into a gap, behind those that it has, and gives the gap. */
export function append(gap: Gap, ...pieces: readonly Piece[]): Gap {
  for (const piece of pieces) {
    gap.parts.push(piece);
    if (typeof piece !== 'string') piece.around = gap;
  }
  return gap;
}

/** Gives the text of a piece that waits for nothing any more. */
export function textOf(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if (piece.isNull) return 'null';
  let text = '';
  for (const part of piece.parts) text += typeof part === 'string' ? part : textOf(part);
  return text;
}

/**
 * Makes the smallest place around a gap `null` that may be. `false` when it has no place in the answer any more, so that
 * nobody misses it.
 */
export function empty(gap: Gap, whole: Gap): boolean {
  let place = gap;
  while (!place.isNullable && !place.isNull && place.around) place = place.around;
  if (!isWithin(place, whole)) return false;
  place.isNull = true;
  return true;
}

function isWithin(gap: Gap, whole: Gap): boolean {
  let place: Gap | undefined = gap;
  while (place && !place.isNull && place !== whole) place = place.around;
  return place === whole && !whole.isNull;
}
