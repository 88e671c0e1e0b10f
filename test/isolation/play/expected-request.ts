import type { Refusal } from '../platform/accounts.ts';
import { type Person, stampOf } from '../platform/people.ts';
import type { ResourceKey } from '../sequence/sequence.ts';

/** A request, and the response that it must get while its caller is signed in. */
export interface ExpectedRequest {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly data: unknown;
  /** The code of the error that must come along; with `any refusal`, what the platform refused may be errors too. */
  readonly codes?: string | undefined;
  /** The paths that it may call on the platform. */
  readonly paths: readonly string[];
  /**
   * Whether the gateway may give the same caller the same answer again without asking, also once the platform takes their
   * token no more: the outcome of a change with a key, and for a while a definition.
   */
  readonly isRemembered?: boolean;
  /** Whether the gateway answers it alone, and so without a session too. */
  readonly isLocal?: boolean;
}

export type Requester = ReturnType<typeof createRequester>;

interface RequesterOptions {
  readonly person: Person;
  /** The sequence's number, which is in every id so that sequences cannot meet. */
  readonly sequence: number;
  readonly mark: string;
  readonly isForwarded: boolean;
  readonly refusalOf: (formId: string) => Refusal | undefined;
}

/** Makes the caller of a request, as far as its expected response depends on it. */
export function createRequester({
  person,
  sequence,
  mark,
  isForwarded,
  refusalOf,
}: RequesterOptions) {
  const formId = ({ form }: ResourceKey) => formIdIn(sequence, form);
  const formPath = (key: ResourceKey) => `/v1.0/forms/${encodeURIComponent(formId(key))}`;
  const instancePath = (key: ResourceKey) => `${formPath(key)}/instances/${key.instance}`;
  const stamp = (path: string) => stampOf(person, path);
  return {
    mark,
    /** What `viewer` says. */
    viewer: isForwarded ? null : { name: person.name },
    stamp,
    formId,
    listedForm: (number: number) => `/v1.0/forms/${sequence}.list${number}`,
    formStamp: (key: ResourceKey) => stamp(formPath(key)),
    instanceOf: (key: ResourceKey) => ({
      instanceId: key.instance,
      value: stamp(instancePath(key)),
    }),
    variables: (key: ResourceKey) => ({ form: formId(key), instance: key.instance }),
    pathsOf: (key: ResourceKey) => [
      formPath(key),
      `${formPath(key)}/instances`,
      instancePath(key),
      instancePath({ ...key, instance: '2' }),
    ],
    refusalOf: (key: ResourceKey) => refusalOf(formId(key)),
  };
}

/** A form's id in a sequence. */
export const formIdIn = (sequence: number, form: string): string => `${sequence}.${form}`;

/** A response with one field under the alias `it`. */
export const found = (it: unknown) => ({ data: { it } });

/** The response for a resource that the platform may refuse: `null`, with an error only where it is forbidden. */
export function refusable(requester: Requester, key: ResourceKey, it: unknown) {
  const refusal = requester.refusalOf(key);
  return {
    ...found(refusal === undefined ? it : null),
    codes: refusal === 403 ? 'FORBIDDEN' : undefined,
    paths: requester.pathsOf(key),
  };
}
