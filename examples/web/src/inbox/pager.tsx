import { addressOf } from '../shared/place.ts';
import { type Choices, PAGE_SIZE, writeChoices } from './choices.ts';

interface PagerProps {
  readonly choices: Choices;
  /** How many there are on all pages, where the platform tells. */
  readonly total: number | null | undefined;
  readonly hasNext: boolean;
}

/** Leads to the pages before and after. */
export function Pager({ choices, total, hasNext }: PagerProps) {
  const { page } = choices;
  if (page === 1 && !hasNext) return null;
  const to = (page: number) => addressOf('/', writeChoices(choices, { page }));
  return (
    <nav className="pager" aria-label="Pages">
      {page > 1 && (
        <a className="button" rel="prev" href={to(page - 1)}>
          Previous
        </a>
      )}
      <span>
        Page {page}
        {total != null && ` of ${Math.max(page, Math.ceil(total / PAGE_SIZE))}`}
      </span>
      {hasNext && (
        <a className="button" rel="next" href={to(page + 1)}>
          Next
        </a>
      )}
    </nav>
  );
}
