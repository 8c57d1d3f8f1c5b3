/** Speaks to a server as delivery would, up to RCPT, and hands over no message. */

import { serverName } from '../../email/server-name.ts'
import { CONSEQUENCES } from '../judge/finding.ts'
import { judge, type RouteKind } from '../judge/judge.ts'
import { failureOfError } from '../outcome.ts'
import { missingAddress } from '../path/present-addresses.ts'
import { addressesOfSource, connectionSource } from '../path/source.ts'
import { mayGoInClear } from '../route/session-opening.ts'
import type { ReplyRule } from '../sites/site-block.ts'
import { SmtpConnection } from '../smtp/connection.ts'
import { Dialogue } from '../smtp/dialogue.ts'
import { isAscii, isSendable } from '../smtp/envelope.ts'
import { SmtpError, type Stage } from '../smtp/error.ts'
import { open } from '../smtp/opening.ts'
import { type Reply, replyClass, replyText } from '../smtp/reply.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import { defaultTimeouts } from '../smtp/timeouts.ts'
import type { Forecast, ForecastHost } from './forecast.ts'

export interface DeliveryRehearsal {
  /** The server would take a message for the recipient now. */
  accepted: boolean
  /** `mx.x.test [192.0.2.1]:25`; null: no server was reached. */
  server: string | null
  /** The decisive reply, or a sentence saying what happened. */
  message: string
  /** The mail would bounce; otherwise it would wait. Null: it is accepted, or no server was to be asked. */
  permanent: boolean | null
  tls: { version: string; verified: boolean } | null
  dialogue: string
}

interface RehearsedEnvelope {
  /** RFC 5321 reverse-path without brackets; empty for the null sender. */
  sender: string
  recipient: string
}

/** The words of the site's servers that have a meaning of their own, and the kind of route. */
interface JudgingRules {
  route: RouteKind
  replies: readonly ReplyRule[]
}

/** Servers that are tried until one can be reached. */
const MAX_SERVERS = 3
const ADDRESSES_PER_SERVER = 2
/** Ms: a person is waiting, so this is less patient than delivery. */
const TIMEOUTS = { ...defaultTimeouts, connect: 5_000, opening: 15_000, mail: 10_000, rcpt: 15_000 }

/**
 * The reason why this machine asks no server, as a sentence without a final dot; null: it asks one. It says nothing
 * about the mail: the mail may need no server, and a node on another machine may have its source.
 */
export async function rehearsalObstacle({ path }: Pick<Forecast, 'path'>): Promise<string | null> {
  if (path.site.kind === 'simulator') return 'The mail ends in the simulator, which asks no server'
  if (path.site.kind === 'capture') return 'The mail is captured, and no server is asked'
  const { missing, proxies, helo, ...source } = path.source
  if (missing !== undefined) return `There is no source to ask a server from: ${missing}`
  const addresses = addressesOfSource(source)
  if (addresses.length === 0 || proxies !== undefined) return null
  const absences = await Promise.all(addresses.map((address) => missingAddress({ address, helo })))
  if (absences.includes(null)) return null
  return `${absences[0]}, so it cannot ask the server from there`
}

export function withoutRehearsal(obstacle: string): DeliveryRehearsal {
  return nobody(obstacle, new Dialogue())
}

/** Never rejects for what servers do. */
export async function rehearse(
  { path, hosts }: Forecast,
  port: number,
  envelope: RehearsedEnvelope,
): Promise<DeliveryRehearsal> {
  const { route } = path.policy
  const relay = route.kind === 'relay' ? route : null
  const credentials =
    relay === null || relay.user === null
      ? null
      : { user: relay.user, password: relay.password ?? '', mechanism: relay.auth }
  const dialogue = new Dialogue()
  const rules = { route: relay === null ? 'direct' : 'relay', replies: path.terms.replies } as const
  let last: DeliveryRehearsal = nobody('No server has an address that can be connected to.', dialogue)
  for (const { name: host, addresses, tls } of hosts.filter(hasAddress).slice(0, MAX_SERVERS)) {
    for (const address of addresses.slice(0, ADDRESSES_PER_SERVER)) {
      const target: SmtpTarget = {
        host,
        address,
        ...connectionSource(path.source, address),
        port: relay?.port ?? port,
        implicitTls: relay?.implicitTls ?? false,
        tls: tls.tls,
        ...(tls.dane && { dane: tls.dane }),
        credentials,
        helo: path.source.helo,
        timeouts: TIMEOUTS,
      }
      const result = await tryServer(target, envelope, dialogue, rules)
      if (result.server !== null) return result
      last = result
    }
  }
  return last
}

function hasAddress({ addresses }: ForecastHost): boolean {
  return addresses.length > 0
}

async function tryServer(
  target: SmtpTarget,
  envelope: RehearsedEnvelope,
  dialogue: Dialogue,
  rules: JudgingRules,
): Promise<DeliveryRehearsal> {
  try {
    return await speak(target, envelope, dialogue, rules)
  } catch (error) {
    if (mayGoInClear(target, error)) {
      // RFC 7435 3.
      dialogue.note(`TLS failed (${error.message}); trying without, as the policy allows`)
      return await tryServer({ ...target, tls: 'off' }, envelope, dialogue, rules)
    }
    if (!(error instanceof SmtpError)) throw error
    const server = error.stage === 'connect' ? null : serverName(target)
    const { finding } = failureOfError(error, server ?? target.host, rules.route, rules.replies)
    return { ...nobody(error.message, dialogue), server, permanent: CONSEQUENCES[finding].ends }
  }
}

async function speak(
  target: SmtpTarget,
  { sender, recipient }: RehearsedEnvelope,
  dialogue: Dialogue,
  rules: JudgingRules,
): Promise<DeliveryRehearsal> {
  const connection = new SmtpConnection(target, dialogue)
  connection.deadline.limit(TIMEOUTS.opening)
  try {
    const extensions = await open(connection, target)
    connection.deadline.liftLimit()
    const protocol = connection.tls?.protocol
    const tls = protocol === undefined ? null : { version: protocol, verified: connection.tls!.verified }
    const about = { server: connection.server, tls }
    if (!isSendable(recipient) || (!extensions.smtpUtf8 && !isAscii(recipient))) {
      const message = `${recipient} cannot be sent to this server`
      return { ...about, accepted: false, message, permanent: true, dialogue: dialogue.text }
    }
    const utf8 = isAscii(recipient) ? '' : ' SMTPUTF8'
    const mail = await ask(connection, `MAIL FROM:<${sender}>${utf8}`, 'mail')
    const stage = replyClass(mail) === 2 ? 'rcpt' : 'mail'
    const reply = stage === 'rcpt' ? await ask(connection, `RCPT TO:<${recipient}>`, stage) : mail
    await ask(connection, 'RSET', 'mail')
    const permanent = isPermanent(reply, stage, rules)
    return {
      ...about,
      accepted: permanent === null,
      message: replyText(reply),
      permanent,
      dialogue: dialogue.text,
    }
  } finally {
    connection.deadline.liftLimit()
    if (connection.failure === null) await connection.quit()
    else connection.destroy()
  }
}

async function ask(connection: SmtpConnection, command: string, stage: Stage): Promise<Reply> {
  const { replies, error } = await connection.exchange([command], [stage])
  if (error !== null) throw error
  return replies[0]!
}

/** Null: the reply accepts. */
function isPermanent(reply: Reply, stage: Stage, { route, replies }: JudgingRules): boolean | null {
  if (replyClass(reply) === 2) return null
  const { code, enhancedCode } = reply
  const answer = { stage, code, enhancedCode: enhancedCode ?? undefined, words: replyText(reply) }
  return CONSEQUENCES[judge(answer, route, replies)].ends
}

/** No server was asked. */
function nobody(message: string, dialogue: Dialogue): DeliveryRehearsal {
  return { accepted: false, server: null, message, permanent: null, tls: null, dialogue: dialogue.text }
}
