import { isLater, type Later, settled } from '../../loaders/later.ts';
import { append, createGap, type Gap, type Piece } from './piece.ts';
import type { Run } from './run.ts';
import { locate, type Path, type Site } from './site.ts';

/** Writes the value of a field or of an item as it stands in the answer. @throws what went wrong. */
export type WriteValue = (run: Run, value: unknown, around: Path | undefined, key: string | number) => Piece;

/** Where a value that is waited for will stand. */
interface Held {
  readonly site: Site;
  readonly around: Path | undefined;
  readonly key: string | number;
  readonly write: WriteValue;
}

/** Leaves a gap for a value that is not there yet, and sees to it that it is filled. */
export function hold(run: Run, promised: PromiseLike<unknown>, { site, around, key, write }: Held): Gap {
  const gap = createGap(site.isNullable);
  const follow = (waited: Later<unknown>) => run.wait(waited, () => settle(waited));
  const settle = ({ resume }: Later<unknown>) => {
    try {
      const value = resume();
      if (isPromiseLike(value)) follow(toLater(value));
      else append(gap, write(run, value, around, key));
    } catch (thrown) {
      run.miss(gap, locate(thrown, site, { around, key }));
    }
  };
  follow(toLater(promised));
  return gap;
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

const toLater = (promised: PromiseLike<unknown>): Later<unknown> => (isLater(promised) ? promised : settled(promised));
