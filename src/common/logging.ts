/**
 * The log as parts of the service use it: facts, none of them secret, and a sentence for the operator. Pino's logger is
 * one.
 */
export type Log = Record<LogLevel, (facts: object, message: string) => void>

type LogLevel = 'info' | 'warn' | 'error'

/** A line for the thread that writes the log. */
export interface LogLine {
  level: LogLevel
  facts: object
  message: string
}

/** A log for threads and processes without one of their own: `post` sends its lines to one that has. */
export function postedLog(post: (line: LogLine) => void): Log {
  const at = (level: LogLevel) => (facts: object, message: string) => post({ level, facts, message })
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Writes a line that came from elsewhere. */
export function writeLine(log: Log, { level, facts, message }: LogLine): void {
  log[level](facts, message)
}
