/** What an installation needs before its mail arrives elsewhere, as steps that are each looked at for real. */

export const STEPS = ['message', 'domain', 'dns', 'route', 'outgoing', 'hostname', 'https', 'backup'] as const
export type StepName = (typeof STEPS)[number]

/**
 * - `done`: it was seen to be right.
 * - `open`: nobody has done it yet.
 * - `wrong`: it was done, and does not work.
 * - `unknown`: it could not be looked at.
 * - `unneeded`: with what is set up, nothing is to be done.
 */
export type StepState = 'done' | 'open' | 'wrong' | 'unknown' | 'unneeded'

export interface StepResult {
  state: StepState
  /** What was seen: a sentence. */
  found: string
  /** What to do; null where nothing is left. */
  advice: string | null
}

export const done = (found: string): StepResult => ({ state: 'done', found, advice: null })
export const unneeded = (found: string): StepResult => ({ state: 'unneeded', found, advice: null })
export const open = (found: string, advice: string): StepResult => ({ state: 'open', found, advice })
export const wrong = (found: string, advice: string): StepResult => ({ state: 'wrong', found, advice })
export const unknown = (found: string, advice: string): StepResult => ({ state: 'unknown', found, advice })
