/** Advice for the operator about mail that does not arrive, based on the message of the last attempt. */
import { isIP } from 'node:net'
import type { Operation } from '../operate/verb.ts'
import { printLine } from './print.ts'

interface LastMessages {
  messages: readonly string[]
  /** Some mail may leave through a relay. */
  relayed: boolean
}

export type AdviceContext = Pick<LastMessages, 'relayed'>

/** Its groups: the recipient's domain, and the word of DNS. */
const LOOKUP_FAILED = /^DNS: the MX look-?up of (\S+) failed(?: \((\w+)\))?/

/** Sites without an answer from which it is likely that this machine is cut off: single ones are always down. */
const SEVERAL = 3

/** Advice by the messages of src/delivery, which name no setting because people of companies see them too. */
const ADVICE: readonly (readonly [said: RegExp, advice: string | ((met: LastMessages) => string)])[] = [
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
  [LOOKUP_FAILED, ({ messages }) => adviceOnLookups(messages)],
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
    ({ messages, relayed }) => {
      const bySite = Map.groupBy(messages.map(serverIn), siteOf)
      if (bySite.size >= SEVERAL) return severalUnreachable(relayed)
      return fewUnreachable(
        [...bySite.values()].map(([server]) => server!),
        relayed,
      )
    },
  ],
]

/** Shown for an email that was captured instead of sent. */
export const WAS_CAPTURED =
  'The email was captured: nothing left this machine. To deliver mail, set POSTROAD_DELIVERY (README, "Go live") and restart the service.'

/** Shown for an installation in capture mode. */
export const CAPTURES =
  'POSTROAD_DELIVERY is "capture": until you change it and restart the service, all mail is captured and none is delivered.'

/** A sentence for each kind of problem among these messages, without its end. */
export function deliveryAdvice(messages: readonly (string | null)[], { relayed }: AdviceContext): string[] {
  return ADVICE.flatMap(([pattern, advice]) => {
    const matching = messages.filter((message) => message !== null && pattern.test(message)) as string[]
    if (matching.length === 0) return []
    return typeof advice === 'string' ? [advice] : [advice({ messages: matching, relayed })]
  })
}

/** Whether some mail may leave through a relay. */
export function isRelayed({ setup, accounts }: Pick<Operation, 'setup' | 'accounts'>): boolean {
  return setup.delivery.kind === 'relay' || accounts.routes.length > 0
}

/**
 * The words of DNS that a working resolver also answers with, for a domain whose own name servers fail or whose records
 * are wrong.
 */
const FAULTS_OF_DOMAIN = new Set(['SERVFAIL', 'TIMEOUT', 'CNAMELOOP'])

function adviceOnLookups(messages: readonly string[]): string {
  const lookups = messages.map((message) => LOOKUP_FAILED.exec(message)!)
  const domains = [...new Set(lookups.map(([, domain]) => domain!))]
  const isOwn = lookups.some(([, , reason]) => reason !== undefined && !FAULTS_OF_DOMAIN.has(reason))
  if (isOwn || domains.length >= SEVERAL) {
    return (
      'DNS does not answer: check that DNS works on this machine, or set POSTROAD_DNS_SERVERS to servers that answer. Then: ' +
      'postroad queue retry'
    )
  }
  return domains.length === 1
    ? `${domains[0]}: its name servers fail; its mail is tried again`
    : `${domains.join(' and ')}: their name servers fail; their mail is tried again`
}

function severalUnreachable(relayed: boolean): string {
  const relay = relayed
    ? ' With a relay, check its host and port in POSTROAD_DELIVERY. With direct delivery, note'
    : ' Note'
  return (
    `No connection can be made to several sites.${relay} that most hosting providers block port 25: ask yours to open it, or use a ` +
    'relay on port 587. Then: postroad queue retry'
  )
}

/** `servers`: one of each site. */
function fewUnreachable(servers: readonly string[], relayed: boolean): string {
  const isOne = servers.length === 1
  const relay = relayed
    ? ' If it is a relay, check its host and port in POSTROAD_DELIVERY (or with `postroad route set`), then: postroad queue retry. ' +
      'Other servers may be down: their mail is tried again by itself'
    : isOne
      ? ' It may be down: its mail is tried again by itself'
      : ' They may be down: their mail is tried again by itself'
  return `${servers.join(' and ')} ${isOne ? 'does' : 'do'} not answer.${relay}, and postroad doctor tells whether this machine can send at all`
}

/** `mx1.example.com [192.0.2.1]:25 refused the connection` is about `mx1.example.com`. */
function serverIn(message: string): string {
  const said = /(\S+?)(?: \[[^\]]+\])?(?::\d+)? (?:cannot be|refused the|accepted no|took too)/.exec(message)
  return said?.[1]?.toLowerCase() ?? 'a server'
}

/** `mx1.example.com` is of `example.com`. */
function siteOf(server: string): string {
  return isIP(server) === 0 ? server.split('.').slice(-2).join('.') : server
}

export function printDeliveryAdvice(messages: readonly (string | null)[], context: AdviceContext): void {
  for (const advice of deliveryAdvice(messages, context)) {
    printLine()
    printLine(`${advice}.`)
  }
}
