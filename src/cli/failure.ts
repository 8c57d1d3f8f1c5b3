/** What a command says when it cannot do what was asked: one line on stderr, and the exit code. */
import { asOperateError, OperateError } from '../operate/error.ts'
import { hintText } from './hint.ts'

/** The command failed; exit code 1. The message is a sentence for the person at the keyboard. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

/** The command was called wrongly; exit code 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage'
}

/**
 * Errors beside those of verbs whose message is written for the operator; everything else is a fault of the program and
 * shows its stack. By name: not every command loads the module that throws them.
 */
const FOR_THE_OPERATOR = ['CommandFailed', 'WrongUsage', 'SettingsError', 'CannotListen', 'CertificateError']

/** What helps after a wrong call beside the help of the command; empty: nothing. */
export function usageHint({ code, message }: { code: string; message: string }): string {
  const company = code === 'commander.missingMandatoryOptionValue' && message.includes("'--company ")
  return company ? 'The companies there are: postroad company list\n' : ''
}

export function explain(thrown: unknown): string {
  const error = asOperateError(thrown)
  if (error instanceof OperateError) return error.message + (error.hint === null ? '' : hintText(error.hint))
  if (!(error instanceof Error)) return String(error)
  if (FOR_THE_OPERATOR.includes(error.name)) return error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  const fromTheSystem = code !== undefined && syscall !== undefined
  return fromTheSystem ? error.message : (error.stack ?? error.message)
}
