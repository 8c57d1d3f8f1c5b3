/** Why a verb did not do what was asked: a code for programs, a sentence for people, and the verb that helps. */
import { OverLimit, StoreConflict, StoreDamaged, StoreUnavailable } from '../store/store.ts'

export const OPERATE_CODES = [
  /** There is no such thing, or the caller may not know of it. */
  'not_found',
  'already_exists',
  /** What was given is no name, address, time, ... at all. */
  'invalid',
  /** The caller may not do this, whatever it is done to. */
  'not_allowed',
  /** It is so already, or nothing is left of it that could be changed. */
  'nothing_to_do',
  /** There are as many as there may be. */
  'over_limit',
  /** What is there is in the way: another process, a file, a newer schema. */
  'conflict',
  /** Nothing can be done at the moment, or not from here. Later, or elsewhere, it may. */
  'unavailable',
  /** The database is damaged where it was needed. */
  'damaged',
] as const
export type OperateCode = (typeof OPERATE_CODES)[number]

/** The verb to call next, with what to give it. Each way in has its own words for it. */
export type Hint =
  | { verb: 'createCompany'; name: string }
  | { verb: 'listCompanies' }
  | { verb: 'showCompany'; company: string }
  /** It is not there yet, and has to be before what was asked for; without `company`: or its name was mistyped. */
  | { verb: 'addDomain'; domain: string; company?: string }
  | { verb: 'listDomains'; company?: string }
  | { verb: 'showDomain'; domain: string }
  | { verb: 'listKeys' }
  | { verb: 'listPeople' }
  | { verb: 'inviteOperator' }
  | { verb: 'setOperator'; person: string }
  | { verb: 'listRoutes' }
  | { verb: 'listEmails' }
  | { verb: 'showEmail'; id: string }
  | { verb: 'listQuarantined' }
  | { verb: 'releaseQuarantined'; id: string }
  | { verb: 'listSuppressions'; company: string }
  | { verb: 'listWebhooks' }
  | { verb: 'enableWebhook'; id: string }
  /** Tells an application on this machine what a webhook would. */
  | { verb: 'listen'; url: string }
  /** There is no database: either the place is wrong, or nothing was begun there yet. */
  | { verb: 'openOperation' }
  /** What was to be moved is not where it was said to be. */
  | { verb: 'migrateData' }

/** Which thing an error is about, for ways in whose clients know sentences of their own for it. */
export interface About {
  noun: 'company' | 'domain' | 'key' | 'email' | 'suppression' | 'webhook' | 'webhook_event'
  /** As the caller named it, or its name. */
  name: string
}

export class OperateError extends Error {
  override name = 'OperateError'
  readonly code: OperateCode
  readonly hint: Hint | null
  readonly about: About | null

  /** @param message a sentence for the caller, without a final stop: a hint may follow */
  constructor(
    code: OperateCode,
    message: string,
    hint: Hint | null = null,
    { about = null, ...options }: ErrorOptions & { about?: About | null } = {},
  ) {
    super(message, options)
    this.code = code
    this.hint = hint
    this.about = about
  }
}

/**
 * Errors of the parts below that have a sentence for people. By name: not every verb loads the module that throws them.
 */
const CODES = new Map<string, OperateCode>([
  [StoreConflict.name, 'conflict'],
  [OverLimit.name, 'over_limit'],
  [StoreUnavailable.name, 'unavailable'],
  [StoreDamaged.name, 'damaged'],
  ['SecretKeyError', 'unavailable'],
  ['SealBroken', 'damaged'],
])

/** What went wrong below, as the one kind of error that verbs throw; a fault of the program stays what it is. */
export function asOperateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = CODES.get(error.name)
  return code === undefined ? error : new OperateError(code, error.message, null, { cause: error })
}

/** Of what is written under a name of its own: somebody else has that name. */
export async function unlessTaken<Result>(
  write: Promise<Result>,
  about: About,
  hint: Hint | null = null,
): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    throw new OperateError('already_exists', error.message, hint, { cause: error, about })
  }
}
