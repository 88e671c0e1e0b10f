/** A form as the platform words it, as far as the classic resolvers care. */
export interface FormRow {
  readonly idForm: string;
  readonly fields: readonly { readonly name: string; readonly reference?: string }[];
}

export interface InstanceRow {
  readonly idForm: string;
  readonly idInstance: number;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface RuleRow {
  readonly descriptiveName: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

type Numbered = { readonly number: number; readonly size: number };

/** How the classic resolvers ask the platform: each method is one call, as anyone would write it first. */
export interface Reader {
  form(idForm: string): Promise<FormRow | undefined>;
  instance(idForm: string, idInstance: string): Promise<InstanceRow | undefined>;
  rule(component: string, version: string): Promise<RuleRow | undefined>;
  forms(page: Numbered): Promise<Page<FormRow>>;
  instances(idForm: string, page: Numbered): Promise<Page<InstanceRow>>;
  change(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
}

/** Makes a reader of the platform at `origin`. It signs in once, which no column of the table counts. */
export async function createReader(origin: string): Promise<Reader> {
  const token = await signIn(origin);
  const ask = async <T>(path: string, method = 'GET', body?: unknown): Promise<T | undefined> => {
    const response = await fetch(`${origin}/v1.0${path}`, {
      method,
      headers: { authorization: token, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const page = async <T>(path: string, { number, size }: Numbered): Promise<Page<T>> =>
    (await ask<Page<T>>(`${path}?page-number=${number}&per-page=${size}`)) ?? { items: [], total: 0 };
  const of = (idForm: string) => (row: InstanceRow) => ({ ...row, idForm });

  return {
    form: (idForm) => ask<FormRow>(`/forms/${idForm}`),
    async instance(idForm, idInstance) {
      const row = await ask<InstanceRow>(`/forms/${idForm}/instances/${idInstance}`);
      return row && of(idForm)(row);
    },
    rule: (component, version) => ask<RuleRow>(`/rules/${component}-${version}/get-parameters`, 'PUT'),
    forms: (numbered) => page('/forms', numbered),
    async instances(idForm, numbered) {
      const { items, total } = await page<InstanceRow>(`/forms/${idForm}/instances`, numbered);
      return { items: items.map(of(idForm)), total };
    },
    change: (method, path, body) => ask(path, method, body),
  };
}

async function signIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/v1.0/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = (await response.json()) as { readonly access_token: string };
  return `Bearer ${token}`;
}
