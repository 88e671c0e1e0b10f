import type { Json } from '../core/json.ts';
import { parseBody, readAnswer } from '../upstream/answer.ts';
import type { HttpResponse } from '../upstream/call.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { List, Read } from '../upstream/operation.ts';
import type { FieldRecord, InstanceRecord } from '../upstream/records.ts';
import { getForm } from '../upstream/resources/forms.ts';
import { getFormIntances } from '../upstream/resources/instances.ts';
import { type ListQuery, maxPageSizeOf } from '../upstream/search.ts';

/** Reads of the platform with a token. */
export interface Reads {
  /**
   * Sends a read as the dialect defines it. Repeated reads of the same URL and headers are sent
   * once.
   */
  get<A>(
    operation: Read<A, unknown>,
    args: A,
    dialect: Dialect,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse>;
  /**
   * Checks that the graph can read the value of a field.
   *
   * @throws {UpstreamError} `malformed` if it cannot.
   */
  checkValue(field: FieldRecord, value: Json | undefined, dialect: Dialect): void;
}

type Page = Partial<ListQuery> & Pick<ListQuery, 'perPage'>;

/** Returns the query of one page of a list. Default: the first page. */
export const pageOf = (page: Page): ListQuery => ({
  where: [],
  orderBy: [],
  pageNumber: 1,
  ...page,
});

/** Returns the query of a page of the maximum size. */
export const wholePage = (dialect: Dialect): ListQuery =>
  pageOf({ perPage: maxPageSizeOf(dialect) });

/**
 * Reads records with a given dialect, to find out whether it fits.
 *
 * @throws {UpstreamError} in the same cases as the gateway's own reads.
 */
export class PlatformReader {
  readonly get: Reads['get'];
  readonly checkValue: Reads['checkValue'];

  constructor({ get, checkValue }: Reads) {
    this.get = get;
    this.checkValue = checkValue;
  }

  async read<A, T>(
    of: Read<A, T>,
    args: A,
    dialect: Dialect,
    fields?: ReadonlySet<string>,
  ): Promise<T> {
    return readAnswer(of, args, await this.get(of, args, dialect), dialect, fields);
  }

  /**
   * Reads a page.
   *
   * @throws {UpstreamError} if a row cannot be decoded.
   */
  async readPage<A, V>(
    list: List<A, V>,
    args: A & ListQuery,
    dialect: Dialect,
    fields?: ReadonlySet<string>,
  ): Promise<readonly V[]> {
    const { items } = await this.read(list, args, dialect, fields);
    return items.map((item) => {
      if (item instanceof Error) throw item;
      return item;
    });
  }

  async readIds<A, V extends { readonly formId: string; readonly instanceId?: string }>(
    list: List<A, V>,
    args: A & ListQuery,
    dialect: Dialect,
  ): Promise<readonly string[]> {
    const records = await this.readPage(list, args, dialect);
    return records.map(({ formId, instanceId }) => instanceId ?? formId);
  }

  async readFields(formId: string, dialect: Dialect): Promise<readonly FieldRecord[]> {
    return (await this.read(getForm, { formId }, dialect))?.fields ?? [];
  }

  async readRows(formId: string, dialect: Dialect): Promise<readonly InstanceRecord[]> {
    const fields = await this.readFields(formId, dialect);
    const names = new Set(fields.map(({ name }) => name));
    return this.readPage(getFormIntances, { formId, ...wholePage(dialect) }, dialect, names);
  }

  async bodyOf<A>(of: Read<A, unknown>, args: A, dialect: Dialect): Promise<Json | undefined> {
    return parseBody((await this.get(of, args, dialect)).text);
  }
}
