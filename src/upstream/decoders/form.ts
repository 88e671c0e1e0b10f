import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { ChoiceRecord, FieldKind, FieldRecord, FormRecord } from '../records.ts';
import { linksOf, pickOffer } from './links.ts';
import { due, dueObject, pick, pickArray, pickText } from './members.ts';

/** Decodes one form's definition. `knownId` is used where the record does not repeat its id. */
export function decodeForm(
  body: Json | undefined,
  dialect: Dialect,
  knownId?: string,
  linkHeader?: string,
): FormRecord {
  const definition = dueObject(body, 'form');
  const { form } = dialect;
  return {
    formId: knownId ?? due(pickText(definition, form.id), 'form id'),
    name: pickText(definition, form.name),
    description: pickText(definition, form.description),
    version: pickText(definition, form.version),
    fields: pickArray(definition, form.fields)
      ?.filter(isJsonObject)
      .flatMap((field) => decodeField(field, dialect)),
    links: linksOf(pickOffer(definition, dialect, linkHeader), dialect),
    definition,
  };
}

function decodeField(field: JsonObject, { form }: Dialect): FieldRecord[] {
  const name = pickText(field, form.fieldName);
  if (name === undefined) return [];
  const required = pick(field, form.fieldRequired);
  const type = pickText(field, form.fieldType);
  // To choose nothing is no option.
  const options = pickArray(field, form.fieldOptions)?.filter((option) => option !== null);
  return [
    {
      name,
      label: pickText(field, form.fieldLabel),
      type,
      kind: kindOf(type, form),
      required: typeof required === 'boolean' ? required : undefined,
      options,
      choices: options?.flatMap((option) => decodeChoice(option, form)),
      reference: pickText(field, form.fieldReference),
      unit: pickText(field, form.fieldUnit),
      maxLength: pickNumber(field, form.fieldMaxLength),
      min: pickNumber(field, form.fieldMin),
      max: pickNumber(field, form.fieldMax),
    },
  ];
}

/** Gives what the values are of a type, by the platform's word for it. */
export function kindOf(type: string | undefined, { types }: Dialect['form']): FieldKind | undefined {
  const word = type?.toLowerCase();
  const entries = Object.entries(types) as [FieldKind, readonly string[]][];
  return entries.find(([, words]) => words.some((known) => known.toLowerCase() === word))?.[0];
}

function decodeChoice(option: Json, { optionValue, optionLabel }: Dialect['form']): ChoiceRecord[] {
  const value = isJsonObject(option) ? pick(option, optionValue) : option;
  if (value === undefined || value === null || typeof value === 'object') return [];
  return [{ value, label: isJsonObject(option) ? pickText(option, optionLabel) : undefined }];
}

function pickNumber(field: JsonObject, names: readonly string[]): number | undefined {
  const value = pick(field, names);
  return typeof value === 'number' ? value : undefined;
}
