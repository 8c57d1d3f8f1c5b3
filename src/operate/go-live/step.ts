/** The steps that an installation needs before its mail arrives, and the result of checking one. */

export const STEPS = ['message', 'domain', 'dns', 'route', 'outgoing', 'hostname', 'https', 'backup'] as const
export type StepName = (typeof STEPS)[number]

/** The steps of a company before its first message, in their order. */
export const SETUP_STEPS = ['domain', 'records', 'message'] as const

/**
 * - `domain`: the company has no domain yet.
 * - `records`: none of its domains may send until its DNS records are found.
 * - `message`: the company may send, but has sent nothing.
 */
export type NextCompanyStep = (typeof SETUP_STEPS)[number]

/**
 * - `done`: it has been done, and works.
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
  /** Settings or a command that the advice is about, a line each; null: there are none. */
  code: string | null
}

export const done = (found: string): StepResult => step('done', found)
export const unneeded = (found: string): StepResult => step('unneeded', found)
export const whileCaptured = (): StepResult => unneeded('No mail leaves this machine in capture mode.')
export const open = (found: string, advice: string, code?: string): StepResult =>
  step('open', found, advice, code)
export const wrong = (found: string, advice: string, code?: string): StepResult =>
  step('wrong', found, advice, code)
export const unknown = (found: string, advice: string): StepResult => step('unknown', found, advice)

function step(
  state: StepState,
  found: string,
  advice: string | null = null,
  code: string | null = null,
): StepResult {
  return { state, found, advice, code }
}
