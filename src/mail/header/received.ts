/** Trace fields (RFC 5321 4.4): ours, and the number of them that shows a mail loop (6.3). */
import { messageDate } from './date.ts'

/** The way by which a message arrived. */
export interface Arrival {
  /** Name of the machine. */
  by: string
  /** ESMTPSA or another name of RFC 3848. */
  protocol: string
}

/** The most Received fields of a message. RFC 5321 6.3 asks for a large number, because mail may pass many servers. */
const MAX_HOPS = 100
/**
 * The most passes through this service: more than forwarding and mailing lists cause, and few, because each pass can
 * multiply the message.
 */
const MAX_OWN_HOPS = 5

const ownTrace = (by: string) => `by ${by} (Postroad) with `

/** The field, with CRLF. It names neither client nor recipients, because these are private. `date`: Unix ms. */
export function receivedField({ by, protocol }: Arrival, id: string, date: number): string {
  return `Received: ${ownTrace(by)}${protocol} id ${id};\r\n\t${messageDate(date)}\r\n`
}

/** The reason why a message with this header goes no further, as a sentence without a dot; null when it may. */
export function loopOf(
  headers: readonly (readonly [name: string, value: string])[],
  arrival: Arrival | undefined,
): string | null {
  const traces = headers.filter(([name]) => /^received$/i.test(name))
  if (traces.length > MAX_HOPS) {
    return `it has gone through ${traces.length} servers, which points to a mail loop; ${MAX_HOPS} are allowed`
  }
  if (arrival === undefined) return null
  const own = traces.filter(([, value]) => value.startsWith(ownTrace(arrival.by))).length
  if (own < MAX_OWN_HOPS) return null
  return `it has been here ${own} times, so it goes in circles: mail sent from here comes back to be sent again`
}
