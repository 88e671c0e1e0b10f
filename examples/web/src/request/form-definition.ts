import { useQuery } from '@apollo/client/react';

import type { ControlFieldFragment } from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';
import { toProblems } from '../graphql/errors.ts';
import { type Field, NEW_VALUES } from './values.ts';

graphql(`
  fragment ControlField on FormField {
    graphqlName
    label
    description
    type
    required
    unit
    min
    max
    maxLength
    default
    options {
      value
      label
      enumValue
    }
    reference {
      typeName
    }
  }
`);

const FORM_DEFINITION = graphql(`
  query FormDefinition {
    form(formId: "purchase-request") {
      id
      can {
        create
      }
      fields {
        ...ControlField
      }
    }
    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {
      nodes {
        ...SupplierFacts
      }
    }
    employees(orderBy: [{ field: NAME, direction: ASC }], first: 100) {
      nodes {
        ...RequesterFacts
      }
    }
  }
`);

/**
 * Reads the fields of the platform's form and the instances that they can refer to, once per visit.
 * For more than a hundred instances use a text field that searches, instead of a list.
 */
export function useFormDefinition() {
  const { data, error, loading } = useQuery(FORM_DEFINITION, { errorPolicy: 'all' });
  const fields = data?.form?.fields?.filter(isOfValues) ?? [];
  const wordFailure = (what: string, field: 'suppliers' | 'employees') => {
    if (data?.[field] || error === undefined) return undefined;
    const reasons = toProblems(error, field).map(({ text }) => text);
    return [`The ${what} cannot be read.`, ...reasons].join(' ');
  };
  return {
    error,
    loading,
    /** Whether the platform lets the user create an instance. */
    mayCreate: data?.form?.can?.create !== false,
    /** The fields with a control, in the platform's order. */
    fields,
    /** The instances that a field can refer to, by the name of their type. */
    targets: {
      Supplier: data?.suppliers?.nodes ?? [],
      Employee: data?.employees?.nodes ?? [],
    } as Readonly<Partial<Record<string, readonly Target[]>>>,
    /** Why the instances for a field could not be read. */
    failures: {
      supplier: wordFailure('suppliers', 'suppliers'),
      requester: wordFailure('people', 'employees'),
    } as Readonly<Partial<Record<Field, string | undefined>>>,
    labelOf: (name: Field): string =>
      fields.find(({ graphqlName }) => graphqlName === name)?.label ?? name,
  };
}

/** A field of the platform's form that has a value in this example. */
export type ControlField = ControlFieldFragment & { readonly graphqlName: Field };

const isOfValues = (field: ControlFieldFragment): field is ControlField =>
  field.graphqlName != null && field.graphqlName in NEW_VALUES;

/** An instance that a field can refer to. */
interface Target {
  readonly id: string;
  readonly name?: string | null;
}

export type FormDefinition = ReturnType<typeof useFormDefinition>;
