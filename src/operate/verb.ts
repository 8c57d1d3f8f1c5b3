/** How a verb is made. */
import { authorise, type Right } from './authority.ts'
import { asOperateError } from './error.ts'
import type { Caller, Operation } from './operation.ts'

export interface Verb<Context, Input, Result> {
  (context: Context, input: Input): Promise<Result>
  /** What it asks of its caller. */
  readonly right: Right
}

/**
 * A verb: authorised before it does anything, and with OperateError as its one kind of error. Results are data; words
 * for people are the caller's.
 */
export function verb<Input, Result, Context extends { caller: Caller } = Operation>(
  right: Right,
  work: (context: Context, input: Input) => Promise<Result>,
): Verb<Context, Input, Result> {
  const call = async (context: Context, input: Input): Promise<Result> => {
    authorise(context.caller, right)
    try {
      return await work(context, input)
    } catch (error) {
      throw asOperateError(error)
    }
  }
  return Object.assign(call, { right })
}
