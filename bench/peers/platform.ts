import { Pool } from 'undici';

export interface Form {
  readonly formId: string;
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly type: string;
    readonly required: boolean;
  }[];
}

/** An instance with its values beside its ids, so that the default resolver finds each value. */
export type Instance = {
  readonly instanceId: number;
  readonly formId: string;
  readonly owner: number;
} & Readonly<Record<string, unknown>>;

export interface Owner {
  readonly ownerId: number;
  readonly name: string;
}

/** The platform for both peers: called with undici, over as many connections as the gateway has. */
export interface Platform {
  form(formId: string): Promise<Form>;
  /** Reads a page of 100 instances. */
  instances(formId: string, page: number): Promise<readonly Instance[]>;
  owner(id: number): Promise<Owner>;
}

interface InstanceRow {
  readonly idInstance: number;
  readonly values: { readonly owner: number; readonly name: string };
}

export function createPlatform(url: string): Platform {
  const pool = new Pool(url, { connections: 128 });
  const headers = { accept: 'application/json', authorization: 'Bearer a-token' };
  const read = async <T>(path: string): Promise<T> => {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `/v1.0/forms/${path}`,
      headers,
    });
    if (statusCode === 200) return (await body.json()) as T;
    await body.dump();
    throw new Error(`The platform answered ${statusCode}.`);
  };

  return {
    async form(formId) {
      const { name, fields } = await read<Form>(formId);
      return { formId, name, fields };
    },
    async instances(formId, page) {
      const { items } = await read<{ items: InstanceRow[] }>(
        `${formId}/instances?page-number=${page}&per-page=100`,
      );
      return items.map(({ idInstance, values }) => ({ ...values, instanceId: idInstance, formId }));
    },
    async owner(id) {
      const { idInstance, values } = await read<InstanceRow>(`owner/instances/${id}`);
      return { ownerId: idInstance, name: values.name };
    },
  };
}
