import type { OperationDefinitionNode } from 'graphql';

import type { ValidOperation } from '../cost/selection.ts';
import type { CompiledOperation } from '../executor/index.ts';

/** An operation that was found valid and within all limits that do not depend on its variables. */
export interface AdmittedOperation extends Omit<ValidOperation, 'variables'> {
  readonly run: CompiledOperation['run'];
  /** Names it among all that were ever admitted. */
  readonly id: string;
  readonly kind: OperationDefinitionNode['operation'];
  readonly name: string | undefined;
}

/** Keeps admitted operations by their document's text and the name that was asked for; the least recently used go first. */
export interface Admitted {
  /** Whether operations of a text are kept. */
  hasText(text: string): boolean;
  get(text: string, operationName: string | undefined): AdmittedOperation | undefined;
  set(text: string, operationName: string | undefined, operation: AdmittedOperation): void;
}

/** A compiled operation takes far more room than its text, so the texts are bounded as well. */
const MAX_CHARACTERS_IN_ALL = 500_000;

export function createAdmitted(maxDocuments: number): Admitted {
  const byText = new Map<string, Map<string | undefined, AdmittedOperation>>();
  let characters = 0;

  const forgetOldest = () => {
    const [oldest = ''] = byText.keys();
    byText.delete(oldest);
    characters -= oldest.length;
  };

  return {
    hasText: (text) => byText.has(text),
    get(text, operationName) {
      const operations = byText.get(text);
      if (operations === undefined) return undefined;
      byText.delete(text);
      byText.set(text, operations);
      return operations.get(operationName);
    },
    set(text, operationName, operation) {
      const operations = byText.get(text) ?? new Map();
      if (operations.size === 0) characters += text.length;
      operations.set(operationName, operation);
      byText.set(text, operations);
      while (byText.size > maxDocuments || (characters > MAX_CHARACTERS_IN_ALL && byText.size > 1)) forgetOldest();
    },
  };
}
