import type { Refusal } from '../platform/accounts.ts';
import { type Person, stampOf } from '../platform/people.ts';
import type { ResourceKey } from '../sequence/sequence.ts';

/** A request, and the response that it must get while its caller is signed in. */
export interface ExpectedRequest {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly data: unknown;
  /**
   * The code of the error that the response must have. With `any refusal`, refusals of the platform
   * may be errors too.
   */
  readonly codes?: string | undefined;
  /** The paths that it may call on the platform. */
  readonly paths: readonly string[];
  /**
   * Whether the gateway may repeat a response to the same caller without a call, even after the
   * platform has revoked the token. True for a change with a key, and for a while for a definition.
   */
  readonly isRemembered?: boolean;
  /** Whether the gateway answers it without the platform, and so without a session. */
  readonly isLocal?: boolean;
}

export type Requester = ReturnType<typeof createRequester>;

interface RequesterOptions {
  readonly person: Person;
  /**
   * The number of the sequence. It is part of every id, so that sequences do not affect each other.
   */
  readonly sequence: number;
  readonly mark: string;
  readonly isForwarded: boolean;
  readonly refusalOf: (formId: string) => Refusal | undefined;
}

/** Creates the caller of a request, with everything that the expected response depends on. */
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
    /** The value of `viewer`. */
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

/** Returns a response with one field under the alias `it`. */
export const found = (it: unknown) => ({ data: { it } });

/**
 * Returns the response for a resource that the platform may refuse: `null`, with an error only if
 * it is forbidden.
 */
export function refusable(requester: Requester, key: ResourceKey, it: unknown) {
  const refusal = requester.refusalOf(key);
  return {
    ...found(refusal === undefined ? it : null),
    codes: refusal === 403 ? 'FORBIDDEN' : undefined,
    paths: requester.pathsOf(key),
  };
}
