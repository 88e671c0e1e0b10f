/** Gives by how much a value grows in a minute: the least-squares line through `[milliseconds, value]`. */
export function slopePerMinute(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanMs = mean(points.map(([atMs]) => atMs));
  const meanValue = mean(points.map(([, value]) => value));
  const covariance = mean(points.map(([atMs, value]) => (atMs - meanMs) * (value - meanValue)));
  const variance = mean(points.map(([atMs]) => (atMs - meanMs) ** 2));
  return variance === 0 ? 0 : (covariance / variance) * 60_000;
}
