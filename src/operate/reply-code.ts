/** Reads the result of an attempt from the end of its dialogue (src/delivery/smtp/dialogue.ts). */
import type { AttemptTls } from '../email/attempt-tls.ts'

const REPLY = /^\d+ < (\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})(?= |$))?/gm
/** The reply to commands that were sent together with a refused one (RFC 2920 3.1). */
const OUT_OF_SEQUENCE = /^503\b|\b5\.5\.1$/
/** The replies to these commands come after the outcome is known. */
const FAREWELL = /^\d+ > (?:QUIT|RSET)$/m

/** The notes of a failed session, in a few words: the first that fits. */
const FAULTS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    / answered (?:[A-Z]+|the message) with | sent (?:a reply to no command|more in clear)/,
    'reply out of step',
  ],
  [/abandoned before the final dot/, 'not handed over'],
  [/no STARTTLS|refused STARTTLS|offers no TLS/, 'no TLS'],
  [/certificate|TLSA/, 'certificate does not match'],
  [/TLS handshake/, 'TLS failed'],
  [/took too long|gave no answer/, 'no answer in time'],
  [/closed the connection|broke the connection/, 'connection lost'],
  // We also end a session after another fault.
  [/when Postroad was stopped|disconnected by us/, 'Postroad was stopped'],
]

/**
 * `ending`: the last lines of a dialogue; the first of them may be cut. Returns the code and the enhanced code (RFC
 * 3463) of the reply that decided the attempt: `421 4.7.0`; or the fault, where the session failed after a reply of
 * success. Null: no server replied.
 */
export function attemptResult(ending: string, tls: AttemptTls | null): string | null {
  const [decisive = ''] = ending.split(FAREWELL, 1)
  const codes = [...decisive.matchAll(REPLY)].map(([, ...codes]) => codes.filter(Boolean).join(' '))
  const refused = codes.findLast((code) => /^[45]/.test(code) && !OUT_OF_SEQUENCE.test(code))
  const last = codes.at(-1)
  if (last === undefined) return null
  if (/^[45]/.test(last)) return (OUT_OF_SEQUENCE.test(last) ? refused : undefined) ?? last
  // All recipients are refused: only the DATA sent together with them succeeded (RFC 2920 3.1).
  if (/^\d+ \* DATA was accepted without recipients/m.test(decisive)) return refused ?? last
  const notes = decisive.slice(decisive.lastIndexOf(' < ')).match(/^\d+ \* .*$/gm) ?? []
  const doubt = tls?.version === null ? (tls.doubt ?? '') : ''
  const faults = [...notes, doubt].join('\n')
  return FAULTS.find(([pattern]) => pattern.test(faults))?.[1] ?? last
}
