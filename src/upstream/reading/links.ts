import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { LinkRecord, Offer } from '../records.ts';
import { pickArray, pickObject } from './members.ts';

// A flat instance may have a value that is named like the methods: paying by "card" is nothing to do to a resource.
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Takes from a record, and the `Link` header where it came alone, the parts that links and methods are read from. */
export function readOffer(record: JsonObject, { links }: Dialect, header?: string): Offer {
  const [listed, byRel] = [pickArray(record, links.list), pickObject(record, links.byRel)];
  return { listed, byRel, methods: membersOf(record, links.methods), header };
}

/**
 * Gives every link of an offer, in order: `links: [{rel, href, methods}]`, `_links: {rel: {href, method}}`, and the `Link`
 * header.
 */
export function linksOf({ listed = [], byRel = {}, header }: Offer, dialect: Dialect): LinkRecord[] {
  return [
    ...listed.flatMap((link) => readLink(undefined, link, dialect)),
    // HAL lets a rel hold one link or a list of them.
    ...Object.entries(byRel).flatMap(([rel, link]) =>
      (Array.isArray(link) ? link : [link]).flatMap((one) => readLink(rel, one, dialect)),
    ),
    ...readLinkHeader(header),
  ];
}

/**
 * Gives the methods that an offer and the links to its record name, each once; `undefined` when none is named. A link that
 * leads elsewhere than `self` says what may be done to another resource.
 */
export function methodsOf(offer: Offer, dialect: Dialect): string[] | undefined {
  const links = linksOf(offer, dialect);
  const self = links.find(({ rel }) => rel === 'self')?.href;
  const own = self === undefined ? links : links.filter(({ href }) => href === self);
  const offered = new Set([...readMethods(offer.methods), ...own.flatMap(({ method }) => method ?? [])]);
  return offered.size === 0 ? undefined : [...offered];
}

function readLink(rel: string | undefined, link: Json, dialect: Dialect): LinkRecord[] {
  if (typeof link === 'string' && rel !== undefined) return [{ rel, href: link }];
  if (!isJsonObject(link) || typeof link['href'] !== 'string') return [];
  const name = rel ?? (typeof link['rel'] === 'string' ? link['rel'] : 'related');
  const target = { rel: name, href: link['href'] };
  const methods = readMethods(membersOf(link, dialect.links.methods));
  return methods.length === 0 ? [target] : methods.map((method) => ({ ...target, method }));
}

const membersOf = (object: JsonObject, names: readonly string[]): readonly Json[] =>
  names.flatMap((name) => (Object.hasOwn(object, name) ? (object[name] ?? []) : []));

const readMethods = (named: readonly Json[]): string[] =>
  named
    .flatMap((method) => (typeof method === 'string' ? method.split(/[\s,]+/) : []))
    .map((method) => method.toUpperCase())
    .filter((method) => METHODS.has(method));

// RFC 8288, as far as it is met: <href>; rel="next", <href>; rel=self; method="PUT"
function readLinkHeader(header: string | undefined): LinkRecord[] {
  return [...(header ?? '').matchAll(/<([^>]*)>([^<]*)/g)].flatMap(([, href = '', parameters = '']) => {
    const parameter = (name: string) => new RegExp(`;\\s*${name}="?([^";,]+)"?`, 'i').exec(parameters)?.[1]?.trim();
    const method = parameter('method')?.toUpperCase();
    return (parameter('rel')?.split(/\s+/) ?? []).map((rel) => ({ rel, href, ...(method && { method }) }));
  });
}
