import type { Log } from '../telemetry/log.ts';
import { createDefinitions, type Definitions } from '../upstream/definitions/index.ts';
import { openSnapshot } from '../upstream/definitions/snapshot.ts';
import type { Upstream } from '../upstream/index.ts';
import type { FormRecord } from '../upstream/records.ts';
import type { Configuration } from './configuration.ts';
import type { TypedConfiguration } from './typed-configuration.ts';

/** Where definitions come from: the platform, and a snapshot while that does not tell them. */
export interface DefinitionSource {
  /** Gives the definitions to start with. Never rejects. */
  first(): Promise<FirstDefinitions>;
  /** What tells whether they have changed since; `undefined` where nobody can be asked. */
  readonly definitions: Definitions | undefined;
  /** Keeps definitions in the snapshot. Never rejects. */
  keep(forms: readonly FormRecord[]): Promise<void>;
}

/** The definitions that a gateway starts with. */
interface FirstDefinitions {
  /** `undefined` where nothing tells any. */
  readonly forms: readonly FormRecord[] | undefined;
  /** Whether they are what the platform says now. */
  readonly isCurrent: boolean;
}

/** For how long a start waits for the platform to tell its definitions. */
const START_WAIT_MS = 5_000;

interface SourceOptions {
  readonly typed: TypedConfiguration;
  /** The platform as the gateway itself sees it; `undefined` where it has no credentials. */
  readonly upstream: Upstream | undefined;
  readonly log: Log;
}

/** Opens the source of definitions that the settings say. */
export function openDefinitions({ dialect }: Configuration, { typed, upstream, log }: SourceOptions): DefinitionSource {
  const { isWanted } = typed;
  const snapshot = typed.snapshot === undefined ? undefined : openSnapshot(typed.snapshot, dialect);
  const definitions =
    upstream && createDefinitions({ forms: upstream.forms, maxPageSize: dialect.list.maxPageSize, isWanted });

  const keep = async (forms: readonly FormRecord[]): Promise<void> => {
    await snapshot?.save(forms).catch((err: unknown) => log.warn({ err }, 'TYPED_SNAPSHOT cannot be written'));
  };
  const fromPlatform = async (): Promise<readonly FormRecord[] | undefined> => {
    try {
      const forms = await definitions?.read({ signal: AbortSignal.timeout(START_WAIT_MS) });
      if (forms) await keep(forms);
      return forms;
    } catch (err) {
      log.warn({ err }, 'the definitions of forms cannot be read from the platform');
      return undefined;
    }
  };
  const fromSnapshot = async (): Promise<readonly FormRecord[] | undefined> => {
    try {
      const forms = await snapshot?.load();
      return forms?.filter(({ formId }) => isWanted(formId));
    } catch (err) {
      log.warn({ err }, 'TYPED_SNAPSHOT cannot be read');
      return undefined;
    }
  };

  return {
    definitions,
    keep,
    async first() {
      const told = await fromPlatform();
      return told ? { forms: told, isCurrent: true } : { forms: await fromSnapshot(), isCurrent: false };
    },
  };
}
