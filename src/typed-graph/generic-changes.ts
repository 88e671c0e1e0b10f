import type { GraphQLFieldConfig, GraphQLFieldConfigMap } from 'graphql';

import type { OperationContext } from '../graphql/context.ts';
import { toFormId } from '../graphql/node-ids.ts';
import { type ConstraintViolation, type Violation, violationError } from '../graphql/violations.ts';
import type { Json, JsonObject } from '../upstream/json.ts';
import type { ChangeWord } from './basis.ts';
import { createFieldConstraint } from './inputs.ts';
import { isDecimal } from './scalars.ts';
import type { TypedField, TypedForm } from './typed-form.ts';

type MutationConfig = GraphQLFieldConfig<unknown, OperationContext>;

/**
 * Gives the generic mutations, which check values by the definitions that are known before they call the platform. What
 * another type's values are is the platform's to say: it may take more than a definition tells.
 */
export function checkGenericChanges(
  mutations: GraphQLFieldConfigMap<unknown, OperationContext>,
  forms: readonly TypedForm[],
): readonly (readonly [name: string, field: MutationConfig])[] {
  const byId = new Map(forms.map((form) => [form.formId, form]));
  return CHECKED.flatMap((word) => {
    const name = `${word}Instance`;
    const field = mutations[name];
    if (field === undefined) return [];
    const { resolve } = field;
    const checked: MutationConfig = {
      ...field,
      resolve(root, args, context, info) {
        const { formId, values } = args['input'] as { readonly formId: string; readonly values: JsonObject };
        const form = byId.get(toFormId(formId));
        if (form) checkValues(form.fields, values, word);
        return resolve?.(root, args, context, info);
      },
    };
    return [[name, checked] as const];
  });
}

const CHECKED = ['create', 'replace', 'update'] as const satisfies readonly ChangeWord[];

/** @throws {GraphQLError} BAD_USER_INPUT that tells every value which a constraint refuses. */
function checkValues(fields: readonly TypedField[], values: JsonObject, word: ChangeWord): void {
  const violations = fields.flatMap((field): Violation[] => {
    const { name } = field.record;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined && word !== 'create') return [];
    const violation = findViolation(field, value);
    return violation ? [{ path: ['input', 'values', name], ...violation }] : [];
  });
  if (violations.length > 0) throw violationError(violations);
}

function findViolation(field: TypedField, value: Json | undefined): ConstraintViolation | undefined {
  const { shape } = field;
  const isEmpty = value === undefined || value === null || value === '';
  if (isEmpty) return createFieldConstraint(field)(value === '' && shape.kind !== 'text' ? null : value);
  if (typeof value === 'object' || shape.kind === 'reference') return undefined;
  if (shape.kind === 'choice') {
    return shape.choices.has(String(value))
      ? undefined
      : { constraint: 'choices', message: 'must be one of the choices' };
  }
  const isOfType = shape.kind === 'text' ? typeof value === 'string' : isDecimal(String(value));
  return isOfType ? createFieldConstraint(field)(value) : undefined;
}
