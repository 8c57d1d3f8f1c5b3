/**
 * Explains the errors of PostgreSQL and of the connection to it in plain words. No sentence here carries a password.
 */
import { OverLimit, StoreConflict, StoreDamaged, StoreUnavailable } from '../store.ts'

/**
 * The connection was lost during a commit: it may have taken place or not. A caller that needs to know looks over
 * another connection.
 */
export class OutcomeUnknown extends StoreUnavailable {}

/** SQLSTATE of an error the server reported, or the code of a failed socket; empty when there is none. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return ''
}

const SOCKET_FAULTS: Record<string, string> = {
  ECONNREFUSED:
    'nothing answers there. Is PostgreSQL running? Start it, or correct host and port in the database URL',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ENOTFOUND: 'the host name is unknown. Correct it in the database URL',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ENOENT:
    'there is no socket at that path. Is PostgreSQL running? Start it, or correct the path in the database URL',
  EACCES: 'this user may not use that socket',
}

/** By SQLSTATE: faults that may pass, after which the same statement succeeds. */
const SERVER_FAULTS: Record<string, string> = {
  '25006': 'it is read-only, because it is a standby. Work continues when the address points to the primary',
  '25P03': 'a transaction was idle for too long and was rolled back. Was this process suspended?',
  '53000': 'it is short of resources',
  '53100': 'its disk is full. Free some space on the database server',
  '53200': 'it has no memory left',
  '53300': 'it accepts no more connections. Raise max_connections, or run fewer nodes',
  '53400': 'a limit of its configuration was reached',
  '57014': 'the statement took too long and was canceled',
  '57P01': 'it is being shut down, or an administrator ended the connection',
  '57P02': 'it has crashed and is recovering',
  '57P03': 'it is starting up or shutting down',
  '57P05': 'it ended a connection that was idle for too long',
  '58000': 'its operating system reported an error. Check its log',
  '58030': 'reading or writing failed. Check its log for disk faults',
  '55P03': 'a lock was not granted in time',
  '40001': 'the transaction repeatedly conflicted with another one',
  '40P01': 'the transaction repeatedly conflicted with another one',
}

/** By SQLSTATE: faults that the operator has to fix before anything works. */
const REFUSALS: Record<string, string> = {
  '28000':
    'it refuses this user: the user does not exist, may not log in, or pg_hba.conf does not allow it from this machine. ' +
    'Correct the user name in the database URL, or pg_hba.conf on the server',
  '28P01': 'the user name or password is wrong. Correct it in the database URL, or in PGPASSWORD',
  '3D000':
    'there is no database with that name. Create it (createdb), or correct the name in the database URL',
  '3F000':
    'there is no schema to create tables in. Create the schema that search_path names, or use its default',
  '42501':
    'this role lacks a required privilege. See the GRANT statements in "Roles and rights" in docs/operations.md',
}

/** The transaction can simply be run again: it lost against another one, and nothing of it was kept. */
export function isCollision(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** unique_violation. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === '23505'
}

/** The data cannot be stored, whatever the state of the database: data exceptions and violated constraints. */
export function isRefusedData(error: unknown): boolean {
  return /^2[23]/.test(codeOf(error))
}

/**
 * True when the connection cannot be used any more: it broke, the server ends it, or the server behind it has become
 * read-only (so that the next connection may lead to another server).
 */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error)
  // No class of SQLSTATE begins with E, as EPIPE and other codes of sockets do.
  if (!/^(?!E)[0-9A-Z]{5}$/.test(code)) return !isOurs(error)
  return /^(08|57P)/.test(code) || isUndone(error)
}

/** An error that the store itself throws, on a connection that works. */
function isOurs(error: unknown): error is Error {
  return error instanceof StoreConflict || error instanceof StoreDamaged || error instanceof OverLimit
}

/**
 * True when the server reports that it has kept nothing of a transaction, while its connection cannot be used any more.
 */
export function isUndone(error: unknown): boolean {
  return /^(25006|25P03)$/.test(codeOf(error))
}

/**
 * Turns a fault of the environment into StoreUnavailable, with reason and advice; returns any other error as it is.
 * `place` names the database.
 */
export function asStoreError(error: unknown, place: string): Error {
  if (error instanceof StoreUnavailable || isOurs(error)) return error
  const reason = reasonOf(error)
  if (reason !== null) {
    return new StoreUnavailable(`The database ${place} is not available: ${reason}`, { cause: error })
  }
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  if (code === 'XX001' || code === 'XX002') {
    return new StoreDamaged(
      `The database ${place} is damaged: ${message}. Stop the service and restore a backup, or repair it (REINDEX)`,
      { cause: error },
    )
  }
  return error instanceof Error ? error : new Error(message)
}

/** The driver itself reports a missing password, in words that depend on the server's authentication method. */
const NO_PASSWORD = /password must be a (non-empty )?string|empty password/i

function reasonOf(error: unknown): string | null {
  const code = codeOf(error)
  const known = SOCKET_FAULTS[code] ?? SERVER_FAULTS[code] ?? REFUSALS[code]
  const message = error instanceof Error ? error.message : String(error)
  if (known !== undefined) return `${known} (${code})`
  if (/^(08|53|57P|58)/.test(code)) return `${message} (${code})`
  if (code === '' && NO_PASSWORD.test(message))
    return 'it requires a password, but none was given. Add it to the database URL, or set PGPASSWORD'
  if (code === '' && /^timeout expired$/i.test(message))
    return 'it does not answer. Is the address right, and is PostgreSQL there?'
  // The driver uses the same words for a connection that worked before.
  if (code === '' && /terminated unexpectedly|establishing an SSL connection/i.test(message))
    return `${message.toLowerCase()}. If no connection can be made at all, the server there may not be PostgreSQL: check host and port`
  // The driver's own errors carry no code: lost connections and time-outs.
  if (code === '' && /connection|timeout|terminated|not queryable/i.test(message))
    return message.toLowerCase()
  if (/^(E[A-Z]+|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS)/.test(code)) return `${message} (${code})`
  return null
}
