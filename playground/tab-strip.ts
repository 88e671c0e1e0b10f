import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/** Keeps the active tab in view, and lets a mouse wheel scroll the tabs sideways. */
export function TabStrip(): null {
  const activeTabIndex = useGraphiQL(({ activeTabIndex }) => activeTabIndex);

  useEffect(() => {
    document
      .getElementById(`graphiql-session-tab-${activeTabIndex}`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [activeTabIndex]);

  useEffect(() => {
    const strip = document.querySelector('.graphiql-tabs');
    const scroll = (event: Event) => {
      if (strip !== null && event instanceof WheelEvent) strip.scrollLeft += event.deltaY;
    };
    strip?.addEventListener('wheel', scroll, { passive: true });
    return () => strip?.removeEventListener('wheel', scroll);
  }, []);

  return null;
}
