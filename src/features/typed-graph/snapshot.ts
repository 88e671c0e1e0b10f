import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts';
import { decodeForm, decodeRule, LINK_MEMBERS } from '../../upstream/decoders.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { DefinitionSet } from './definitions.ts';

/** A file with the platform's definitions, for a start without the platform. */
export interface Snapshot {
  /**
   * Reads the definitions. Returns `undefined` if the file does not exist.
   *
   * @throws {Error} for a file that is not a snapshot.
   */
  load(): Promise<DefinitionSet | undefined>;
  /** Replaces the file atomically: readers see the complete old or new file. */
  save(definitions: DefinitionSet): Promise<void>;
}

/** The format of the file. A file in another format is rejected. */
const KIND = 'caseway-definitions-1';

/**
 * Opens the snapshot at `path`. Links are not saved, because they depend on the user who read the
 * definitions.
 */
export function openSnapshot(path: string, dialect: Dialect): Snapshot {
  return {
    async load() {
      if (!existsSync(path)) return undefined;
      const content = parseJson(await readFile(path, 'utf8'));
      const { forms, rules = [] } =
        isJsonObject(content) && content['kind'] === KIND ? content : {};
      if (!Array.isArray(forms) || !Array.isArray(rules))
        throw new Error('it is no snapshot of definitions');
      return {
        forms: forms.map((form) => decodeForm(form, dialect)),
        rules: rules.filter(isJsonObject).map(({ component, version, definition }) => {
          return decodeRule(
            { component: String(component), version: String(version) },
            definition,
            dialect,
          );
        }),
      };
    },
    async save({ forms, rules }) {
      const next = join(dirname(path), `.${randomUUID()}.snapshot`);
      const saved = {
        forms: forms.map(({ formId, definition }) => withId(formId, definition, dialect)),
        rules: rules.map(({ component, version, definition: given }) => {
          return { component, version, definition: withoutLinks(given) };
        }),
      };
      try {
        await writeFile(next, `${JSON.stringify({ kind: KIND, ...saved }, undefined, 1)}\n`);
        await rename(next, path);
      } catch (error) {
        await rm(next, { force: true });
        throw error;
      }
    },
  };
}

/** Returns a definition with the form's id, because `getForm` may not repeat it. */
function withId(formId: string, definition: JsonObject, dialect: Dialect): JsonObject {
  const [id = 'idForm'] = dialect.form.id;
  return { [id]: formId, ...withoutLinks(definition) };
}

function withoutLinks(definition: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(definition).filter(([name]) => !LINK_MEMBERS.includes(name)),
  );
}
