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
  const fields = new Map(data?.form?.fields?.map((field) => [field.name, field]));
  const wordFailure = (what: string, field: 'suppliers' | 'employees') => {
    if (data?.[field] || error === undefined) return undefined;
    const reasons = toProblems(error, field).map(({ text }) => text);
    return [`The ${what} cannot be read.`, ...reasons].join(' ');
  };
  return {
    error,
    loading,
    suppliers: data?.suppliers?.nodes ?? [],
    employees: data?.employees?.nodes ?? [],
    /** Why the instances for a field could not be read. */
    failures: {
      supplier: wordFailure('suppliers', 'suppliers'),
      requester: wordFailure('people', 'employees'),
    } as Readonly<Partial<Record<Field, string | undefined>>>,
    labelOf: (field: Field): string => fields.get(field)?.label ?? field,
    isRequired: (field: Field): boolean => fields.get(field)?.required ?? false,
  };
}

export type FormDefinition = ReturnType<typeof useFormDefinition>;
