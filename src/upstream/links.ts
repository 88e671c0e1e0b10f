import { isJsonObject, type Json, type JsonObject, pickArray, pickObject } from '../core/json.ts';
import type { Dialect } from './dialect.ts';
import type { LinkRecord, RawLinks } from './records.ts';

// A flat instance may have a value that is named like the methods: paying by "card" is not a method of the resource.
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const SEPARATORS = /[\s,]+/;
const isMethod = (word: string): boolean => METHODS.has(word);

/** One link of a record: where it leads, and the methods allowed there. */
interface Link {
  readonly rel: string;
  readonly href: string;
  readonly methods: readonly string[];
}

const NONE: readonly never[] = [];

/** Picks the parts of a record, and of its `Link` header where it came alone, that links and methods are decoded from. */
export function pickRawLinks(record: JsonObject, { links }: Dialect, header?: string): RawLinks {
  const [listed, byRel] = [pickArray(record, links.list), pickObject(record, links.byRel)];
  const named = links.methods.filter((name) => Object.hasOwn(record, name));
  return { listed, byRel, methods: named.length === 0 ? NONE : named.flatMap((name) => record[name] ?? []), header };
}

/**
 * Gives every link, in order: `links: [{rel, href, methods}]`, `_links: {rel: {href, method}}`, and the `Link`
 * header.
 */
export function linksOf(rawLinks: RawLinks, dialect: Dialect): LinkRecord[] {
  return decodeLinks(rawLinks, dialect).flatMap(({ rel, href, methods }): LinkRecord[] =>
    methods.length === 0 ? [{ rel, href }] : methods.map((method) => ({ rel, href, method })),
  );
}

/**
 * Gives the methods that are allowed on the record, each once; `undefined` when none is named. A link that leads elsewhere
 * than `self` names the methods of another resource.
 */
export function methodsOf(rawLinks: RawLinks, dialect: Dialect): readonly string[] | undefined {
  const links = decodeLinks(rawLinks, dialect);
  const self = links.find(({ rel }) => rel === 'self')?.href;
  const allowed = new Set(decodeMethods(rawLinks.methods));
  for (const { href, methods } of links) {
    if (self === undefined || href === self) for (const method of methods) allowed.add(method);
  }
  return allowed.size === 0 ? undefined : [...allowed];
}

function decodeLinks({ listed = NONE, byRel, header }: RawLinks, dialect: Dialect): Link[] {
  const links: Link[] = [];
  const add = (rel: string | undefined, link: Json) => {
    const decoded = decodeLink(rel, link, dialect);
    if (decoded !== undefined) links.push(decoded);
  };
  for (const link of listed) add(undefined, link);
  for (const [rel, link] of byRel === undefined ? NONE : Object.entries(byRel)) {
    // HAL lets a rel hold one link or a list of them.
    for (const one of Array.isArray(link) ? link : [link]) add(rel, one);
  }
  return header === undefined ? links : links.concat(decodeLinkHeader(header));
}

function decodeLink(rel: string | undefined, link: Json, { links }: Dialect): Link | undefined {
  if (typeof link === 'string' && rel !== undefined) return { rel, href: link, methods: NONE };
  if (!isJsonObject(link) || typeof link['href'] !== 'string') return undefined;
  const name = rel ?? (typeof link['rel'] === 'string' ? link['rel'] : 'related');
  const methods: string[] = [];
  for (const member of links.methods) {
    if (Object.hasOwn(link, member)) decodeMethods(link[member], methods);
  }
  return { rel: name, href: link['href'], methods };
}

/** Decodes methods as platforms name them, `["GET", "PATCH"]` or `"get, patch"`, and puts them behind those that are known. */
function decodeMethods(named: Json | readonly Json[] | undefined, methods: string[] = []): string[] {
  for (const one of Array.isArray(named) ? named : [named]) {
    for (const word of typeof one === 'string' ? wordsOf(one) : NONE) if (isMethod(word)) methods.push(word);
  }
  return methods;
}

const wordsOf = (text: string): readonly string[] => (isMethod(text) ? [text] : text.toUpperCase().split(SEPARATORS));

// RFC 8288, as far as it is met: <href>; rel="next", <href>; rel=self; method="PUT"
function decodeLinkHeader(header: string): Link[] {
  return [...header.matchAll(/<([^>]*)>([^<]*)/g)].flatMap(([, href = '', parameters = '']) => {
    const parameter = (name: string) => new RegExp(`;\\s*${name}="?([^";,]+)"?`, 'i').exec(parameters)?.[1]?.trim();
    const method = parameter('method')?.toUpperCase();
    const methods = method ? [method] : NONE;
    return (parameter('rel')?.split(/\s+/) ?? []).map((rel) => ({ rel, href, methods }));
  });
}
