/** The log: JSON lines for machines, coloured lines on a terminal, and never a secret in either. */
import { destination, type Logger, pino, stdTimeFunctions } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { visible, visibleJson } from './common/visible-text.ts'
import type { Settings } from './config/settings.ts'

export type { Logger } from 'pino'

/** Every API key token inside a longer text; accounts/token.ts generates them. */
export const TOKEN_IN_TEXT = /pr_[0-9A-Za-z]{32}/g

const SECRET_NAMES = ['authorization', 'password', 'token', 'secretKey', 'privateKey', 'proxy-authorization']

interface LogTarget {
  /** Default: true when stdout is a terminal. */
  pretty?: boolean
  /** Default: stdout. */
  stream?: { write(line: string): void }
}

/**
 * Fields that carry credentials are redacted by name, down to three levels, and anything that looks like a Postroad
 * token is redacted anywhere in the line. Lines are written synchronously, so a crash loses none.
 */
export function createLogger(level: Settings['logLevel'], target: LogTarget = {}): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_NAMES.flatMap(placesOf), censor: '[redacted]' },
    hooks: { streamWrite: (line: string) => visibleJson(line.replaceAll(TOKEN_IN_TEXT, '[redacted]')) },
  }
  const stream = target.stream ?? standardOutput()
  const terminal = target.pretty ?? process.stdout.isTTY === true
  if (!terminal) return pino(options, stream)
  const pretty = prettyFactory({ colorize: target.stream === undefined, translateTime: 'SYS:HH:MM:ss.l' })
  return pino(options, {
    write: (line: string) => stream.write(pretty(visibleValue(JSON.parse(line))) ?? ''),
  })
}

/** Octets of unwritten lines that are kept and tried again with the next line; beyond that, new lines are dropped. */
const MAX_UNWRITTEN = 1024 * 1024

function standardOutput() {
  const stream = destination({ fd: 1, sync: true, maxLength: MAX_UNWRITTEN })
  // The reader of the log may be gone, or the disk full: neither is a reason to stop delivering mail.
  stream.on('error', () => {})
  return stream
}

function placesOf(name: string): string[] {
  if (name.includes('-')) return [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]
  return [name, `*.${name}`, `*.*.${name}`]
}

/**
 * A line's values made safe for a terminal. A stack keeps its line breaks, which come from this program; other values
 * get one line.
 */
function visibleValue<T>(value: T, name = ''): T {
  if (typeof value === 'string') {
    const lines = name === 'stack' ? value.split('\n') : [value]
    return lines.map(visible).join('\n') as T
  }
  if (Array.isArray(value)) return value.map((item) => visibleValue(item)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [visible(key), visibleValue(item, key)]),
  ) as T
}
