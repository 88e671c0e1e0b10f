import { type GraphQLFieldConfig, type GraphQLFieldConfigMap, GraphQLObjectType } from 'graphql';
import type { OperationContext } from '../../graphql/context.ts';
import { withCost } from '../../graphql/cost/rule.ts';
import { content } from '../../graphql/cost/rules.ts';
import { valueAt, withContent } from '../../graphql/instance-content.ts';
import { readReference } from '../../upstream/reading/instance.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import type { BackReference } from '../back-references.ts';
import { costOfReference } from '../costs.ts';
import { describeForm } from '../describe.ts';
import type { TypedField, TypedForm } from '../typed-form.ts';
import type { TypeBasis } from './basis.ts';
import type { EnumOf } from './enums.ts';
import { createList } from './list-field.ts';
import type { Search } from './search-inputs.ts';
import { leafTypeOf } from './value-type.ts';

type FieldConfig = GraphQLFieldConfig<InstanceRecord, OperationContext>;

/** The types of one form. */
export interface FormTypes {
  readonly form: TypedForm;
  readonly instance: GraphQLObjectType;
  readonly connection: GraphQLObjectType;
  readonly search: Search;
  readonly enumOf: EnumOf;
}

interface InstanceParts {
  readonly basis: TypeBasis;
  readonly enumOf: EnumOf;
  /** The types of a form by its id, once all are made. */
  readonly typesOf: (formId: string) => FormTypes | undefined;
  readonly backReferences: readonly BackReference[];
}

/** Makes the type of a form's instances: what every instance has, the form's fields, and what refers to them. */
export function createInstanceType(form: TypedForm, parts: InstanceParts): GraphQLObjectType {
  const { basis, backReferences } = parts;
  return new GraphQLObjectType<InstanceRecord, OperationContext>({
    name: form.names.type,
    description: describeForm(form),
    interfaces: [...basis.interfaces],
    fields: (): GraphQLFieldConfigMap<InstanceRecord, OperationContext> => ({
      ...basis.instanceFields,
      ...Object.fromEntries(form.fields.map((field) => [field.name, createField(field, parts)])),
      ...Object.fromEntries(backReferences.flatMap((back) => createBackReference(back, parts))),
    }),
  });
}

// Large platforms have ten thousands of fields.
const COST_OF_CONTENT = withCost(content);
const COST_OF_REFERENCE = withCost(costOfReference);

function createField(field: TypedField, parts: InstanceParts): FieldConfig {
  const { shape } = field;
  if (shape.kind === 'reference') return createReference(field, shape.formId, parts);
  const read = parts.basis.readValueOf(shape);
  const { name } = field.record;
  return {
    type: leafTypeOf(field, shape.kind, parts),
    description: field.description,
    resolve: (instance, _args, context) => withContent(instance, context, ({ values }) => read(valueAt(values, name))),
    ...COST_OF_CONTENT,
  };
}

function createReference(field: TypedField, formId: string, { basis, typesOf }: InstanceParts): FieldConfig {
  const { name } = field.record;
  return {
    type: typesOf(formId)?.instance ?? basis.instance,
    description: `${field.description} \`null\` when it is empty, or what it points to is gone. References of one operation into one form are one list call together.`,
    resolve: (instance, _args, context) =>
      withContent(instance, context, ({ values }) => {
        const instanceId = readReference(valueAt(values, name), basis.dialect);
        return instanceId === undefined ? undefined : context.loaders.instanceById(formId).load(instanceId);
      }),
    ...COST_OF_REFERENCE,
  };
}

function createBackReference({ name, form, field }: BackReference, { typesOf }: InstanceParts) {
  const types = typesOf(form.formId);
  if (types === undefined) return [];
  const label = field.record.label ?? field.record.name;
  const description = `The instances of ${form.title} whose ${label} this is. One upstream call for each.`;
  return [[name, createList(types, { description, field: field.record.name })] as const];
}
