import type { GraphQLFieldConfig } from 'graphql';
import { toConnection, toListKey } from '../../graphql/connection.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { withCost } from '../../graphql/cost/rule.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import { costOfBackReference, costOfMany } from '../costs.ts';
import type { FormTypes } from './instance-type.ts';

interface ListOptions {
  readonly description: string;
  /** The platform's field that must refer to the instance that the list is asked of; absent for all instances. */
  readonly field?: string;
}

/** Makes a field that lists a form's instances: `null` only with an error beside it. */
export function createList({ form, connection, search }: FormTypes, { description, field }: ListOptions) {
  const { formId } = form;
  const { args, toGeneric } = search;
  const rule = field === undefined ? costOfMany(formId, toGeneric) : costOfBackReference(toGeneric);
  const ofSource = (source: InstanceRecord | undefined) =>
    field === undefined || source === undefined
      ? []
      : [{ field, operator: 'EQ' as const, values: [source.instanceId] }];

  const config: GraphQLFieldConfig<InstanceRecord | undefined, OperationContext> = {
    type: connection,
    description,
    args,
    async resolve(source, given, { loaders, pages }) {
      const { where, ...rest } = toListKey(toGeneric(given), pages);
      const key = { where: [...ofSource(source), ...where], ...rest };
      return toConnection(key, await loaders.instances(formId).load(key));
    },
    ...withCost(rule),
  };
  return config as GraphQLFieldConfig<InstanceRecord, OperationContext>;
}
