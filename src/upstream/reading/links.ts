import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { LinkRecord } from '../records.ts';
import { pickArray, pickObject } from './members.ts';

// A flat instance may have a value that is named like the methods: paying by "card" is nothing to do to a resource.
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Gives every link of a record, in order: `links: [{rel, href, methods}]`, `_links: {rel: {href, method}}`, and a
 * `Link` header where the record came alone.
 */
export function readLinks(record: JsonObject, dialect: Dialect, linkHeader?: string): LinkRecord[] {
  const listed = pickArray(record, dialect.links.list) ?? [];
  const byRel = Object.entries(pickObject(record, dialect.links.byRel) ?? {});
  return [
    ...listed.flatMap((link) => readLink(undefined, link, dialect)),
    // HAL lets a rel hold one link or a list of them.
    ...byRel.flatMap(([rel, link]) =>
      (Array.isArray(link) ? link : [link]).flatMap((one) => readLink(rel, one, dialect)),
    ),
    ...readLinkHeader(linkHeader),
  ];
}

/**
 * Gives the methods that a record and the links to it offer, each once; `undefined` when none is named. A link that leads
 * elsewhere than `self` says what may be done to another resource.
 */
export function readMethods(record: JsonObject, links: readonly LinkRecord[], dialect: Dialect): string[] | undefined {
  const self = links.find(({ rel }) => rel === 'self')?.href;
  const own = self === undefined ? links : links.filter(({ href }) => href === self);
  const offered = new Set([...methodsOf(record, dialect), ...own.flatMap(({ method }) => method ?? [])]);
  return offered.size === 0 ? undefined : [...offered];
}

function readLink(rel: string | undefined, link: Json, dialect: Dialect): LinkRecord[] {
  if (typeof link === 'string' && rel !== undefined) return [{ rel, href: link }];
  if (!isJsonObject(link) || typeof link['href'] !== 'string') return [];
  const name = rel ?? (typeof link['rel'] === 'string' ? link['rel'] : 'related');
  const target = { rel: name, href: link['href'] };
  const methods = methodsOf(link, dialect);
  return methods.length === 0 ? [target] : methods.map((method) => ({ ...target, method }));
}

function methodsOf(object: JsonObject, dialect: Dialect): string[] {
  const named = dialect.links.methods.flatMap((name) => (Object.hasOwn(object, name) ? (object[name] ?? []) : []));
  return named
    .flatMap((method) => (typeof method === 'string' ? method.split(/[\s,]+/) : []))
    .map((method) => method.toUpperCase())
    .filter((method) => METHODS.has(method));
}

// RFC 8288, as far as it is met: <href>; rel="next", <href>; rel=self; method="PUT"
function readLinkHeader(header: string | undefined): LinkRecord[] {
  return [...(header ?? '').matchAll(/<([^>]*)>([^<]*)/g)].flatMap(([, href = '', parameters = '']) => {
    const parameter = (name: string) => new RegExp(`;\\s*${name}="?([^";,]+)"?`, 'i').exec(parameters)?.[1]?.trim();
    const method = parameter('method')?.toUpperCase();
    return (parameter('rel')?.split(/\s+/) ?? []).map((rel) => ({ rel, href, ...(method && { method }) }));
  });
}
