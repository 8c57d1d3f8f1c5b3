/** Advice for the operator about mail that does not arrive, based on the message of the last attempt. */
import { isIP } from 'node:net'
import { printLine } from './print.ts'

/** The domains of the servers that the messages name. */
type Sites = ReadonlySet<string>

/** Sites without an answer from which it is likely that this machine is cut off: single ones are always down. */
const SEVERAL = 3

/** Advice by the messages of src/delivery, which name no setting because people of companies see them too. */
const ADVICE: readonly (readonly [said: RegExp, advice: string | ((sites: Sites) => string)])[] = [
  [
    / refused our credentials /,
    'The relay refuses the login: correct the user and password in POSTROAD_DELIVERY (or with `postroad route set`) and restart the ' +
      'service. Then: postroad queue retry',
  ],
  [
    / offers no TLS, so it is not given the credentials/,
    'The relay offers no TLS, and a login is not sent without: use a port of the relay with TLS, smtps:// or, within your own network ' +
      'and without a login, ?tls=off in POSTROAD_DELIVERY (or with `postroad route set`), and restart the service. Then: postroad queue ' +
      'retry',
  ],
  [
    /^The name of the relay, /,
    'Correct the name of the relay in POSTROAD_DELIVERY (or with `postroad route set`) and restart the service. Then: ' +
      'postroad queue retry',
  ],
  [
    /^DNS: the MX look-?up /,
    'DNS does not answer: check that DNS works on this machine, or set POSTROAD_DNS_SERVERS to servers that answer. Then: ' +
      'postroad queue retry',
  ],
  [
    / (?:no|not a) public address\b| leads back to this service/,
    'Mail is delivered to public addresses only: set POSTROAD_ALLOW_PRIVATE_NETWORKS=true to deliver within your own network, ' +
      'or send it to a relay (POSTROAD_DELIVERY)',
  ],
  [
    /The proxy \S+ of the source address /,
    'The proxy to a source address fails. Check that it runs and accepts this machine, and its host, port, user and password in ' +
      'POSTROAD_SOURCE_ADDRESSES; postroad doctor asks it. The mail leaves by itself when it answers again',
  ],
  [
    /^(?!.*The proxy \S+ of the source address ).* (?:cannot be reached|refused the connection|accepted no connection in time|took too long over (?:connecting|its greeting))/,
    (sites) =>
      sites.size >= SEVERAL
        ? 'No connection can be made to several sites. With a relay, check its host and port in POSTROAD_DELIVERY. With direct delivery, ' +
          'note that most hosting providers block port 25: ask yours to open it, or use a relay on port 587. Then: postroad queue retry'
        : 'A server does not answer. If it is a relay, check its host and port in POSTROAD_DELIVERY (or with `postroad route set`), then: ' +
          'postroad queue retry. Other servers may be down: their mail is tried again by itself, and postroad doctor tells whether this ' +
          'machine can send at all',
  ],
]

/** Shown for an email that was captured instead of sent. */
export const WAS_CAPTURED =
  'The email was captured: nothing left this machine. To deliver mail, set POSTROAD_DELIVERY (README, "Go live") and restart the service.'

/** Shown for an installation in capture mode. */
export const CAPTURES =
  'POSTROAD_DELIVERY is "capture": until you change it and restart the service, all mail is captured and none is delivered.'

/** A sentence for each kind of trouble among these messages, without its end. */
export function deliveryAdvice(messages: readonly (string | null)[]): string[] {
  return ADVICE.flatMap(([said, advice]) => {
    const met = messages.filter((message) => message !== null && said.test(message))
    if (met.length === 0) return []
    return typeof advice === 'string' ? [advice] : [advice(new Set(met.map((message) => siteIn(message!))))]
  })
}

/** `mx1.example.com [192.0.2.1]:25 refused the connection` is about `example.com`. */
function siteIn(message: string): string {
  const host = /(\S+) \[[^\]]+\]:\d+ /.exec(message)?.[1] ?? message
  return isIP(host) === 0 ? host.toLowerCase().split('.').slice(-2).join('.') : host
}

export function printDeliveryAdvice(messages: readonly (string | null)[]): void {
  for (const advice of deliveryAdvice(messages)) {
    printLine()
    printLine(`${advice}.`)
  }
}
