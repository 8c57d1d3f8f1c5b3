/** The checks of the doctor: what each one found, and what the operator can do about it. */

/**
 * - `ok`: as it should be, or not needed by the present settings.
 * - `warning`: mail leaves, but something should be improved.
 * - `problem`: mail does not leave or does not arrive, or soon will not.
 * - `unknown`: it could not be checked.
 */
export const CHECK_STATES = ['ok', 'unknown', 'warning', 'problem'] as const
export type CheckState = (typeof CHECK_STATES)[number]

export interface CheckFinding {
  state: CheckState
  /** The finding, as a sentence. */
  found: string
  /** The next step for the operator, as a sentence; null: none is needed. */
  advice: string | null
  /** The next step for people of the company that the check concerns, who have no shell; absent: there is none. */
  memberAdvice?: string
  /** Settings or a command that the advice is about, a line each. */
  code?: string
}

/** The kinds of subjects; docs/operations.md says what each looks at. */
export const CHECK_KINDS = [
  'backup',
  'block-list',
  'block-lists',
  'certificate',
  'clock',
  'database',
  'disk',
  'domain',
  'domains',
  'held-mail',
  'hostname',
  'https',
  'mailbox',
  'mailbox-server',
  'nodes',
  'oldest-mail',
  'outgoing',
  'pools',
  'quarantine',
  'resolver',
  'route',
  'sites',
  'sites-file',
  'source',
  'tls-reports',
] as const
export type CheckKind = (typeof CHECK_KINDS)[number]

export interface DoctorCheck extends CheckFinding {
  /** Stays the same for the same subject, such as `hostname` or `domain:example.com`. */
  id: CheckKind | `${CheckKind}:${string}`
  title: string
}

/** A check that has not been made yet. */
export interface PlannedCheck extends Pick<DoctorCheck, 'id' | 'title'> {
  /** With `parts`, it has found several subjects: they take the place of this check, unless there are none. */
  run(): Promise<CheckFinding & { parts?: readonly DoctorCheck[] }>
}

/** The kind of subject that a check is about: `held-mail` of `held-mail:provider:google`. */
export function kindOfCheck(id: string): string {
  return id.split(':', 1)[0]!
}

export const ok = (found: string): CheckFinding => ({ state: 'ok', found, advice: null })
export const warning = (found: string, advice: string): CheckFinding => ({ state: 'warning', found, advice })
export const problem = (found: string, advice: string): CheckFinding => ({ state: 'problem', found, advice })
export const unknown = (found: string, advice: string): CheckFinding => ({ state: 'unknown', found, advice })

/** The advice where only time tells. */
export function lookAgainIn(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000))
  return minutes === 1 ? 'Look again in a minute.' : `Look again in ${minutes} minutes.`
}

/** The state of several checks together: the worst one. */
export function worstOf(states: readonly CheckState[]): CheckState {
  const worst = Math.max(0, ...states.map((state) => CHECK_STATES.indexOf(state)))
  return CHECK_STATES[worst]!
}
