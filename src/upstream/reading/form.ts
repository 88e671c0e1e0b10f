import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { FieldRecord, FormRecord } from '../records.ts';
import { readLinks } from './links.ts';
import { due, dueObject, pick, pickArray, pickText } from './members.ts';

/** Reads one form's definition. `askedId` is used where the record does not repeat its id. */
export function readForm(body: Json | undefined, dialect: Dialect, askedId?: string, linkHeader?: string): FormRecord {
  const definition = dueObject(body, 'form');
  const { form } = dialect;
  return {
    formId: askedId ?? due(pickText(definition, form.id), 'form id'),
    name: pickText(definition, form.name),
    description: pickText(definition, form.description),
    version: pickText(definition, form.version),
    fields: pickArray(definition, form.fields)
      ?.filter(isJsonObject)
      .flatMap((field) => readField(field, dialect)),
    links: readLinks(definition, dialect, linkHeader),
    definition,
  };
}

function readField(field: JsonObject, { form }: Dialect): FieldRecord[] {
  const name = pickText(field, form.fieldName);
  if (name === undefined) return [];
  const required = pick(field, form.fieldRequired);
  return [
    {
      name,
      label: pickText(field, form.fieldLabel),
      type: pickText(field, form.fieldType),
      required: typeof required === 'boolean' ? required : undefined,
      options: pickArray(field, form.fieldOptions),
      reference: pickText(field, form.fieldReference),
    },
  ];
}
