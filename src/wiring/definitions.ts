import type { Log } from '../telemetry/log.ts';
import { createDefinitionReader, type DefinitionReader } from '../upstream/definitions/reader.ts';
import type { DefinitionSet } from '../upstream/definitions/set.ts';
import { openSnapshot } from '../upstream/definitions/snapshot.ts';
import type { Upstream } from '../upstream/index.ts';
import type { Configuration } from './configuration.ts';
import type { TypedConfiguration } from './typed-configuration.ts';

/** Where definitions come from: the platform, and a snapshot while that does not tell them. */
export interface DefinitionSource {
  /** Gives the definitions to start with. Never rejects. */
  first(): Promise<FirstDefinitions>;
  /** What tells whether they have changed since; `undefined` where nobody can be asked. */
  readonly definitions: DefinitionReader | undefined;
  /** Keeps definitions in the snapshot. Never rejects. */
  keep(definitions: DefinitionSet): Promise<void>;
}

/** The definitions that a gateway starts with. */
interface FirstDefinitions {
  /** `undefined` where nothing tells any. */
  readonly told: DefinitionSet | undefined;
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
    upstream &&
    createDefinitionReader({
      forms: upstream.forms,
      rules: upstream.rules,
      ruleKeys: typed.rules,
      maxPageSize: dialect.list.maxPageSize,
      isWanted,
      onUnread: (form, err) => log.warn({ form, err }, 'the definition of a form cannot be read'),
    });

  const keep = async (told: DefinitionSet): Promise<void> => {
    await snapshot?.save(told).catch((err: unknown) => log.warn({ err }, 'TYPED_SNAPSHOT cannot be written'));
  };
  const fromPlatform = async (): Promise<DefinitionSet | undefined> => {
    try {
      const told = await definitions?.read({ signal: AbortSignal.timeout(START_WAIT_MS) });
      if (told) await keep(told);
      return told;
    } catch (err) {
      log.warn({ err }, 'the definitions of forms cannot be read from the platform');
      return undefined;
    }
  };
  const fromSnapshot = async (): Promise<DefinitionSet | undefined> => {
    try {
      const told = await snapshot?.load();
      return told && { ...told, forms: told.forms.filter(({ formId }) => isWanted(formId)) };
    } catch (err) {
      log.warn({ err }, 'TYPED_SNAPSHOT cannot be read');
      return undefined;
    }
  };

  return {
    definitions,
    keep,
    async first() {
      const kept = await fromSnapshot();
      definitions?.remember(kept?.forms ?? []);
      const told = await fromPlatform();
      return told ? { told, isCurrent: true } : { told: kept, isCurrent: false };
    },
  };
}
