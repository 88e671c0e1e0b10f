import { describe, expect, it } from 'vitest';

import { readEvents, type StreamEvent } from '../../client/events.ts';

describe('an event of a stream', () => {
  it.each(['\u2028', '\u2029'])(
    'has data with %j, which ends a line in regular expressions but not in a stream',
    async (separator) => {
      const { body } = new Response(`event: next\ndata: "a${separator}b"\n\n`);
      const events: StreamEvent[] = [];

      for await (const event of readEvents(body as ReadableStream<Uint8Array>)) events.push(event);

      expect(events).toEqual([{ event: 'next', data: `"a${separator}b"` }]);
    },
  );
});
