import { z } from 'zod';

import { names, section } from './dialect-parts.ts';

/** What the interface does not say about a form's definition, of which it shows no member at all. */
export const formSection = section({
  id: names('idForm', 'id'),
  name: names('name', 'title'),
  description: names('description'),
  version: names('version'),
  fields: names('fields'),
  fieldName: names('name', 'id'),
  fieldLabel: names('label', 'title'),
  fieldType: names('type'),
  fieldRequired: names('required', 'mandatory'),
  fieldOptions: names('options', 'choices', 'enum'),
  fieldReference: names('reference', 'idFormReference'),
  fieldUnit: names('unit'),
  fieldMaxLength: names('maxLength'),
  fieldMin: names('min', 'minimum'),
  fieldMax: names('max', 'maximum'),
  /** The members of an option that is an object. */
  optionValue: names('value', 'id'),
  optionLabel: names('label', 'title'),
  /** The words for a field's type, by what its values are, in any case. A field of another type may hold any JSON. */
  types: section({
    text: names('text', 'string', 'textarea', 'memo', 'email', 'phone', 'url'),
    /** Whole numbers of 64 bits. */
    integer: names('integer', 'int', 'long'),
    float: names('float', 'double', 'number'),
    decimal: names('decimal', 'numeric', 'money', 'currency'),
    boolean: names('boolean', 'bool', 'checkbox'),
    date: names('date'),
    datetime: names('datetime', 'date-time', 'timestamp'),
    /** One of the field's options. */
    choice: names('choice', 'select', 'enum', 'radio'),
    /** An instance of the form that the field names. */
    reference: names('reference', 'link', 'lookup'),
  }),
  /**
   * How a typed input's values are written: by all their digits. A decimal that no double holds is a text in any case, so
   * that nobody rounds it unseen.
   */
  writtenDecimal: z.enum(['number', 'text']).default('number'),
  writtenReference: z.enum(['number', 'text']).default('number'),
  /** The interface does not say which zone a date and time is in that has no offset. */
  assumedOffset: z
    .string()
    .regex(/^(Z|[+-]\d{2}:\d{2})$/, 'must be Z or an offset like +02:00')
    .default('Z'),
});
