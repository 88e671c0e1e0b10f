import type { ErrorLike } from '@apollo/client';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

import { Problems } from '../graphql/problems.tsx';

/** The outcome of loading a page. */
export interface LoadedPage {
  readonly error: ErrorLike | undefined;
  /** Whether the list waits for the user before it loads another page. */
  readonly isPaused: boolean;
}

interface LoadMoreProps {
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Loads the next page. */
  readonly load: () => Promise<LoadedPage>;
}

/** The end of a list. Loads the next page when it comes near the screen, or with its button. */
export function LoadMore({ hasMore, isLoading, load }: LoadMoreProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [{ error, isPaused }, setLast] = useState<LoadedPage>({
    error: undefined,
    isPaused: false,
  });

  const loadMore = async () => {
    if (!isLoading) setLast(await load());
  };
  const onVisible = useEffectEvent(loadMore);

  useEffect(() => {
    if (!hasMore || isLoading || isPaused || button.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onVisible(), {
      rootMargin: '200px',
    });
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [hasMore, isLoading, isPaused]);

  return (
    <div className="more">
      <Problems error={error} />
      {hasMore && (
        // A disabled button would lose the focus.
        <button ref={button} type="button" onClick={loadMore} aria-disabled={isLoading}>
          {isLoading ? 'Loading …' : 'Load more'}
        </button>
      )}
    </div>
  );
}
