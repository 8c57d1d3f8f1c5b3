/** How a failed command reports its error: one line on stderr, and the exit code. */
import { asOperateError, OperateError } from '../operate/error.ts'
import { hintText } from './hint.ts'

/** The command failed; exit code 1. The message is a sentence for the user. */
export class CommandFailure extends Error {
  override name = 'CommandFailed'
}

/** Why a file that a command was given cannot be read. */
export function unreadableFile(file: string, error: unknown): CommandFailure {
  const { code, message } = error as NodeJS.ErrnoException
  const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message
  return new CommandFailure(`${file} cannot be read: ${why}`)
}

/** Wrong usage; exit code 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage'
}

/**
 * Errors, in addition to those of verbs, whose messages are written for the operator; any other error is a bug and is
 * printed with its stack. Matched by name, because not every command loads the module that throws them.
 */
const FOR_THE_OPERATOR = [
  'CommandFailed',
  'WrongUsage',
  'SettingsError',
  'CannotListen',
  'CertificateError',
  'SitesError',
]

/** Input that a verb finds malformed is wrong usage, whether it is checked before the database is opened or after. */
export function isWrongUsage(thrown: unknown): boolean {
  if (thrown instanceof WrongUsage) return true
  const error = asOperateError(thrown)
  return error instanceof OperateError && error.code === 'invalid'
}

/** A hint after a usage error, in addition to the command's help; empty: none. */
export function usageHint({ code, message }: { code: string; message: string }): string {
  const company = code === 'commander.missingMandatoryOptionValue' && message.includes("'--company ")
  return company ? 'To see the companies: postroad company list\n' : ''
}

export function explain(thrown: unknown): string {
  const error = asOperateError(thrown)
  if (error instanceof OperateError) {
    if (error.code === 'unconfirmed') return `${error.message}. To do it all the same, add --force`
    return error.message + (error.hint === null ? '' : hintText(error.hint))
  }
  if (!(error instanceof Error)) return String(error)
  if (FOR_THE_OPERATOR.includes(error.name)) return error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  const fromTheSystem = code !== undefined && syscall !== undefined
  return fromTheSystem ? error.message : (error.stack ?? error.message)
}
