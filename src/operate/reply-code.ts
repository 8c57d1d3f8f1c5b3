/** Reads the code of the last reply from the end of an attempt's dialogue (src/delivery/smtp/dialogue.ts). */

const REPLY = /^\d+ < (\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})(?= |$))?/gm
/** The reply to commands that were sent together with a refused one (RFC 2920 3.1). */
const OUT_OF_SEQUENCE = /^503\b|\b5\.5\.1$/
/** The replies to these commands come after the outcome is known. */
const FAREWELL = /^\d+ > (?:QUIT|RSET)$/m

/**
 * `ending`: the last lines of a dialogue; the first of them may be cut. Returns the code and the enhanced code (RFC
 * 3463) of the reply that decided the attempt: `421 4.7.0`. Null: no server replied.
 */
export function lastReplyCode(ending: string): string | null {
  const [decisive = ''] = ending.split(FAREWELL, 1)
  const codes = [...decisive.matchAll(REPLY)].map(([, ...codes]) => codes.filter(Boolean).join(' '))
  const refused = codes.findLast((code) => /^[45]/.test(code) && !OUT_OF_SEQUENCE.test(code))
  const last = codes.at(-1)
  return (last !== undefined && OUT_OF_SEQUENCE.test(last) ? refused : undefined) ?? last ?? null
}
