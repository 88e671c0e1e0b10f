import type { Json } from '../../../src/core/json.ts';
import type { Received, Reply } from '../../upstream/support/http-server.ts';

const FORMS: Readonly<Record<string, Json>> = Object.fromEntries(
  ['a', 'b', 'c'].map((id) => [id, { idForm: id, name: id.toUpperCase(), fields: [] }]),
);

const ok = (body: Json): Reply => ({ status: 200, body });
/** One page that holds all rows, and says so. */
const all = (rows: readonly Json[]): Reply => ({
  status: 200,
  headers: { 'x-total-count': String(rows.length) },
  body: rows,
});
const instance = (id: string): Json => ({ idInstance: Number(id), values: { amount: Number(id) } });

/** Each address that the platform knows; what its pattern captured, and the ids of an `in` where it was asked by one. */
const ROUTES: readonly (readonly [RegExp, (captured: string, ids: readonly string[] | undefined) => Reply])[] = [
  [/^\/forms$/, (_none, ids = Object.keys(FORMS)) => all(ids.flatMap((id) => FORMS[id] ?? []))],
  [/^\/forms\/locked\/instances/, () => ({ status: 403 })],
  [/^\/forms\/\w+\/instances$/, (_none, ids = ['1', '2']) => all(ids.filter((id) => id !== '404').map(instance))],
  [/^\/forms\/\w+\/instances\/404$/, () => ({ status: 404 })],
  [/^\/forms\/\w+\/instances\/(\d+)$/, (id) => ok(instance(id))],
  [/^\/forms\/([abc])$/, (id) => ok(FORMS[id] ?? null)],
  [/^\/rules\/broken-1\//, () => ({ status: 400 })],
  [/^\/rules\/([^/]+)\/get-parameters$/, (name) => ok({ name, parameters: [] })],
];

/** Answers for a platform of the forms a, b and c, with an instance for each number but 404, and rules but one. */
export function answer({ target }: Pick<Received, 'target'>): Reply {
  const { pathname, searchParams } = new URL(target, 'http://h');
  const ids = searchParams.get('search')?.split('in:')[1]?.split('|');
  for (const [pattern, reply] of ROUTES) {
    const match = pattern.exec(pathname.replace('/v1.0', ''));
    if (match !== null) return reply(match[1] ?? '', ids);
  }
  return { status: 404 };
}
