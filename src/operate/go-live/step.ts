/** The steps that an installation needs before its mail arrives, and the result of checking one. */

export const STEPS = ['message', 'domain', 'dns', 'route', 'outgoing', 'hostname', 'https', 'backup'] as const
export type StepName = (typeof STEPS)[number]

/**
 * - `done`: the check found it right.
 * - `open`: it has not been done yet.
 * - `wrong`: it has been done, and does not work.
 * - `unknown`: it could not be checked.
 * - `unneeded`: the present settings do not need it.
 */
export type StepState = 'done' | 'open' | 'wrong' | 'unknown' | 'unneeded'

export interface StepResult {
  state: StepState
  /** The finding, as a sentence. */
  found: string
  /** The next step for the operator; null: none is needed. */
  advice: string | null
}

export const done = (found: string): StepResult => ({ state: 'done', found, advice: null })
export const unneeded = (found: string): StepResult => ({ state: 'unneeded', found, advice: null })
export const open = (found: string, advice: string): StepResult => ({ state: 'open', found, advice })
export const wrong = (found: string, advice: string): StepResult => ({ state: 'wrong', found, advice })
export const unknown = (found: string, advice: string): StepResult => ({ state: 'unknown', found, advice })
