/** The reply of the other server, as both dialects show it. */
import type { EventDetail } from '../../email/event.ts'

/** The text of a reply without its codes (RFC 5321 4.2, RFC 2034 4). Words of Postroad may stand before the codes. */
export function replyWords({ code, enhancedCode, message = '' }: EventDetail): string {
  if (code === undefined) return message
  for (const between of enhancedCode === undefined ? [] : [' ', '-']) {
    const codes = `${code}${between}${enhancedCode} `
    const at = message.indexOf(codes)
    if (at === 0 || message[at - 1] === ' ') return message.slice(0, at) + message.slice(at + codes.length)
  }
  return withoutLeading(withoutLeading(message, String(code)), enhancedCode)
}

function withoutLeading(text: string, code: string | undefined): string {
  if (code === undefined || !text.startsWith(code)) return text
  const rest = text.slice(code.length)
  return rest === '' || /^[ -]/.test(rest) ? rest.slice(1).trimStart() : text
}

/** A reply with each of its codes once, as in a DSN (RFC 3464 2.3.6); null if no server replied. */
export function diagnosticCode(detail: EventDetail): string | null {
  const { code, enhancedCode } = detail
  if (code === undefined) return null
  const parts = ['smtp;', String(code), enhancedCode, replyWords(detail)]
  return parts.filter((part) => part !== undefined && part !== '').join(' ')
}
