import { useQuery } from '@apollo/client/react';

import { graphql } from '../__generated__/index.ts';
import { toProblems } from '../graphql/errors.ts';
import type { Field } from './values.ts';

const FORM_DEFINITION = graphql(`
  query FormDefinition {
    form(formId: "purchase-request") {
      id
      fields {
        name
        label
        required
      }
    }
    suppliers(orderBy: [{ name: ASC }], first: 100) {
      nodes {
        ...SupplierFacts
      }
    }
    employees(orderBy: [{ name: ASC }], first: 100) {
      nodes {
        ...RequesterFacts
      }
    }
  }
`);

/**
 * What the platform's form says of its fields, and the instances that a field may refer to. It is read once a visit, for all
 * requests. Where there may be more than a hundred, a text field that searches takes the place of a list.
 */
export function useFormDefinition() {
  const { data, error, loading } = useQuery(FORM_DEFINITION, { errorPolicy: 'all' });
  const fields = new Map(data?.form?.fields?.map((field) => [field.name, field]));
  const wordFailure = (what: string, field: 'suppliers' | 'employees') => {
    if (data?.[field] || error === undefined) return undefined;
    return [`The ${what} cannot be read.`, ...toProblems(error, field).map(({ text }) => text)].join(' ');
  };
  return {
    error,
    loading,
    suppliers: data?.suppliers?.nodes ?? [],
    employees: data?.employees?.nodes ?? [],
    /** Why there is nothing that a field could refer to. */
    failures: {
      supplier: wordFailure('suppliers', 'suppliers'),
      requester: wordFailure('people', 'employees'),
    } as Readonly<Partial<Record<Field, string | undefined>>>,
    labelOf: (field: Field): string => fields.get(field)?.label ?? field,
    isRequired: (field: Field): boolean => fields.get(field)?.required ?? false,
  };
}

export type FormDefinition = ReturnType<typeof useFormDefinition>;
