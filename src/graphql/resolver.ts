/**
 * Gives a field's value: at once, or later. It is told nothing of how the field is asked, so that operations can be compiled.
 */
export type Resolver<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
) => PromiseLike<TResult> | TResult;
