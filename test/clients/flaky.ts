/** A `fetch` whose next responses can be lost after the gateway has sent them. */
export function createFlakyFetch() {
  const bodies: string[] = [];
  let losses = 0;
  const flakyFetch: typeof fetch = async (input, init) => {
    bodies.push(String(init?.body));
    const response = await fetch(input, init);
    if (losses === 0) return response;
    losses -= 1;
    await response.body?.cancel();
    throw new TypeError('fetch failed');
  };
  return {
    fetch: flakyFetch,
    /** The bodies of all requests so far. */
    bodies,
    lose(times: number) {
      losses = times;
    },
  };
}
