/** What a command says when it cannot do what was asked: one line on stderr, and the exit code. */
import { OperateError } from '../operate/error.ts'
import { hintText } from './hint.ts'

/** The command failed; exit code 1. The message is a sentence for the person at the keyboard. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

/** The command was called wrongly; exit code 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage'
}

/** Errors whose message is written for the operator; everything else is a fault of the program and shows its stack. */
const FOR_THE_OPERATOR = new Set([
  'CommandFailed',
  'WrongUsage',
  'SettingsError',
  'SecretKeyError',
  'SealBroken',
  'StoreUnavailable',
  'StoreConflict',
  'StoreDamaged',
  'CannotListen',
  'CertificateError',
])

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof OperateError) return error.message + (error.hint === null ? '' : hintText(error.hint))
  if (FOR_THE_OPERATOR.has(error.name)) return error.message
  const system = error as NodeJS.ErrnoException
  if (system.code !== undefined && system.syscall !== undefined) return error.message
  return error.stack ?? error.message
}
