import { type Arbitrary, array, constantFrom, integer, letrec, oneof, option, tuple } from 'fast-check';

import { formatNodeId } from '../../../src/graphql/relay.ts';

const FORMS = ['employee', 'supplier', 'purchase-request', 'expense', 'nothing', 'a:b'];
const formId = constantFrom(...FORMS);
const instanceId = integer({ min: 1, max: 40 }).map(String);

const pageArgs = tuple(option(integer({ min: 1, max: 8 })), option(integer({ min: 1, max: 3 }))).map(
  ([first, page]) =>
    `(orderBy: []${first === null ? '' : `, first: ${first}`}${page === null ? '' : `, page: ${page}`})`,
);

const braced = (fields: Arbitrary<string>) =>
  array(fields, { minLength: 1, maxLength: 3 }).map(
    (all) => `{ ${all.map((field, index) => `f${index}: ${field}`).join(' ')} }`,
  );

/** Random queries of the sandbox's sample forms, as they nest: lists in forms, references in instances, and back. */
export const randomQuery: Arbitrary<string> = letrec<Record<string, string>>((tie) => {
  const instance = tie('instance');
  const form = tie('form');
  const rows = (node: Arbitrary<string>) =>
    oneof(
      node.map((fields) => `{ nodes ${fields} totalCount }`),
      node.map((fields) => `{ edges { node ${fields} } }`),
    );
  return {
    instance: braced(
      oneof(
        { maxDepth: 3 },
        constantFrom('instanceId', 'values', 'value(field: "name")', 'can { update }'),
        form.map((fields) => `form ${fields}`),
        tuple(constantFrom('supplier', 'requester', 'employee', 'name', 'manager'), instance).map(
          ([field, fields]) => `reference(field: "${field}") ${fields}`,
        ),
      ),
    ),
    form: braced(
      oneof(
        { maxDepth: 3 },
        constantFrom('formId', 'name', 'fields { name }', 'links { rel }'),
        tuple(pageArgs, rows(instance)).map(([args, fields]) => `instances${args} ${fields}`),
        tuple(instanceId, instance).map(([id, fields]) => `instance(instanceId: "${id}") ${fields}`),
      ),
    ),
    root: braced(
      oneof(
        tuple(formId, form).map(([id, fields]) => `form(formId: "${id}") ${fields}`),
        tuple(pageArgs, rows(form)).map(([args, fields]) => `forms${args} ${fields}`),
        tuple(formId, instanceId, instance).map(
          ([id, instance_, fields]) => `instance(formId: "${id}", instanceId: "${instance_}") ${fields}`,
        ),
        tuple(formId, pageArgs, rows(instance)).map(
          ([id, args, fields]) => `instances(formId: "${id}", ${args.slice(1)} ${fields}`,
        ),
        tuple(formId, instanceId, form, instance).map(
          ([id, number, one, other]) =>
            `node(id: "${formatNodeId('Instance', id, number)}") { ... on Form ${one} ... on Instance ${other.replaceAll(/f(\d)/g, 'g$1')} }`,
        ),
        constantFrom('rule(component: "approval-level", version: "1.0") { parameters { name } }'),
      ),
    ),
  };
})['root'] as Arbitrary<string>;
