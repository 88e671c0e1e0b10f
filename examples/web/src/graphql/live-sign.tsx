import type { LiveConnection } from 'caseway/client/react-apollo';

/** A small sign with the state of the connection. */
export function LiveSign({ connection }: { readonly connection: LiveConnection }) {
  const { text, title } = SIGNS[connection];
  return (
    <small className={`live live-${connection}`} aria-live="polite" title={title}>
      {text}
    </small>
  );
}

const SIGNS = {
  connecting: { text: '', title: undefined },
  live: { text: 'Live', title: 'This screen shows what others change.' },
  stale: {
    text: 'Not up to date',
    title: 'The platform does not answer. This is what was last known.',
  },
  reconnecting: {
    text: 'Reconnecting …',
    title: 'The connection is lost. What others change meanwhile is not shown.',
  },
  paused: {
    text: 'Paused',
    title: 'This screen stands still. What others change meanwhile is shown afterwards.',
  },
  ended: { text: 'Not live', title: 'What others change is not shown any more.' },
  off: { text: '', title: undefined },
} satisfies Record<LiveConnection, { readonly text: string; readonly title: string | undefined }>;
