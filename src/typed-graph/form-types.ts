import { findBackReferences } from './back-references.ts';
import type { TypedForm } from './typed-form.ts';
import type { TypeBasis } from './types/basis.ts';
import { createConnectionType } from './types/connection-type.ts';
import { createEnums } from './types/enums.ts';
import { createFilters } from './types/filters.ts';
import { createInstanceType, type FormTypes } from './types/instance-type.ts';
import { createSearch } from './types/search-inputs.ts';

/** Makes the types of forms, which may refer to one another in circles. */
export function createFormTypes(forms: readonly TypedForm[], basis: TypeBasis): readonly FormTypes[] {
  const filters = createFilters(basis);
  const backReferences = findBackReferences(forms);
  const made = new Map<string, FormTypes>();
  const typesOf = (formId: string) => made.get(formId);

  for (const form of forms) {
    const enumOf = createEnums(form);
    const parts = { basis, enumOf, typesOf, backReferences: backReferences.get(form.formId) ?? [] };
    const instance = createInstanceType(form, parts);
    const connection = createConnectionType(form, instance, basis);
    made.set(form.formId, {
      form,
      instance,
      connection,
      enumOf,
      search: createSearch(form, { basis, filters, enumOf }),
    });
  }
  return [...made.values()];
}
