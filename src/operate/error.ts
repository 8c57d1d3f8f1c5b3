/** The error of a verb: a code for programs, a sentence for people, and the verb that helps. */
import { OverLimit, StoreConflict, StoreDamaged, StoreUnavailable } from '../store/store.ts'

export const OPERATE_CODES = [
  /** The thing does not exist, or the caller may not see it. */
  'not_found',
  'already_exists',
  /** The input is not a valid name, address, time and so on. */
  'invalid',
  /** The caller may not do this to any object. */
  'not_allowed',
  /** The thing is in this state already, or nothing is left to change. */
  'nothing_to_do',
  /** The limit on their number is reached. */
  'over_limit',
  /** Something that exists is in the way: another process, a file, a newer schema. */
  'conflict',
  /** The change does harm, which the sentence names. It is made if the input has `force`. */
  'unconfirmed',
  /** Not possible at the moment, or not from here; possible later or elsewhere. */
  'unavailable',
  /** The needed part of the database is damaged. */
  'damaged',
] as const
export type OperateCode = (typeof OPERATE_CODES)[number]

/** The verb to call next, with its input. Each interface (HTTP, command line, console) words it in its own way. */
export type Hint =
  | { verb: 'createCompany'; name: string }
  | { verb: 'listCompanies' }
  | { verb: 'showCompany'; company: string }
  /** The domain does not exist yet and has to be added first; without `company`, its name may be misspelt. */
  | { verb: 'addDomain'; domain: string; company?: string }
  | { verb: 'listDomains'; company?: string }
  | { verb: 'showDomain'; domain: string }
  | { verb: 'rotateDkimKey'; domain: string }
  | { verb: 'listKeys' }
  | { verb: 'listPeople' }
  | { verb: 'inviteOperator' }
  | { verb: 'setOperator'; person: string }
  | { verb: 'listRoutes' }
  | { verb: 'listPools' }
  | { verb: 'listSites' }
  | { verb: 'listEmails' }
  | { verb: 'showEmail'; id: string }
  | { verb: 'listQuarantined' }
  | { verb: 'releaseQuarantined'; id: string }
  | { verb: 'listSuppressions'; company: string }
  | { verb: 'listWebhooks' }
  | { verb: 'enableWebhook'; id: string }
  /** Forwards to an application on this machine the events that a webhook would send. */
  | { verb: 'listen'; url: string }
  /** There is no database: either the location is wrong, or the service was never started there. */
  | { verb: 'openOperation' }
  /** The data to be moved is not at the given location. */
  | { verb: 'migrateData' }

/** The thing an error is about, for dialects that must word the error in their own sentences. */
export interface About {
  noun: 'company' | 'domain' | 'key' | 'email' | 'suppression' | 'webhook' | 'webhook_event'
  /** The name that the caller used, or its own. */
  name: string
}

export class OperateError extends Error {
  override name = 'OperateError'
  readonly code: OperateCode
  readonly hint: Hint | null
  readonly about: About | null

  /** @param message a sentence for the caller, without a final full stop: a hint may follow */
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
 * Errors of lower layers whose messages are written for people. Matched by name, because not every verb loads the
 * module that throws them.
 */
const CODES = new Map<string, OperateCode>([
  [StoreConflict.name, 'conflict'],
  [OverLimit.name, 'over_limit'],
  [StoreUnavailable.name, 'unavailable'],
  [StoreDamaged.name, 'damaged'],
  ['SecretKeyError', 'unavailable'],
  ['SitesError', 'unavailable'],
  ['SealError', 'damaged'],
])

/**
 * Converts an error of a lower layer into the one class that verbs throw; any other error (a bug) is returned as it is.
 */
export function asOperateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = CODES.get(error.name)
  return code === undefined ? error : new OperateError(code, error.message, null, { cause: error })
}

/** For `catch`: null instead of the error of a thing that does not exist. */
export function nullIfMissing(error: unknown): null {
  if (error instanceof OperateError && error.code === 'not_found') return null
  throw error
}

/** Runs a write of something with a unique name, and throws `already_exists` when the name is taken. */
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
