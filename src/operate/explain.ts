/** How mail to an address would leave now, and what would stop it. */
import type { SendingDomain } from '../accounts/account.ts'
import { RouteTable } from '../accounts/routes.ts'
import { inactivityReason } from '../accounts/sending.ts'
import { warmUpDay, warmUpSince, warmUps } from '../accounts/warm-up-day.ts'
import { domainDemand } from '../common/required-tls.ts'
import { utcTime } from '../common/utc-day.ts'
import { type Forecast, type ForecastParts, forecast, serverObstacle } from '../delivery/forecast/forecast.ts'
import {
  type DeliveryRehearsal,
  rehearsalObstacle,
  rehearse,
  withoutRehearsal,
} from '../delivery/forecast/rehearsal.ts'
import { type Path, serversText } from '../delivery/path/path.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import type { EmailSummary, RecipientOutline } from '../email/stored-email.ts'
import { type Suppression, scopeOf } from '../email/suppression.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import { MailGuard } from '../network/mail-guard.ts'
import { coversMail } from '../queue/pauses.ts'
import type { Pause, SiteClosure, SiteState, SiteWarmUp } from '../store/store.ts'
import { addressesInService } from './addresses-in-service.ts'
import { authoriseWhole } from './authority.ts'
import { readable } from './closures.ts'
import { readEmailPage } from './email-search.ts'
import { nullIfMissing } from './error.ts'
import { explainedInCompany } from './explained-in-company.ts'
import {
  addressIn,
  type CompanyFilter,
  companyScope,
  domainNames,
  findCompany,
  findDomain,
  findOwnDomain,
} from './find.ts'
import { nextSteps, statusOf } from './next-step.ts'
import { isOwnSource } from './own-source.ts'
import { scopeText } from './pauses.ts'
import { type PresentClosures, presentClosures } from './present-closures.ts'
import { pauseText } from './shapes/pause.ts'
import { SharedExplanations } from './shared-explanations.ts'
import { combinedSites, freshReports } from './sites.ts'
import { sourceChoice } from './source-choice.ts'
import { type StatusName, statusNameOf } from './status-word.ts'
import { type Operation, verb } from './verb.ts'

export interface ExplainRequest extends CompanyFilter {
  /** A recipient's address. */
  address: string
  /**
   * The sending domain: name or id. Absent: mail of the company. An operator who names none means the only company, or
   * any of several.
   */
  from?: string | undefined
}

export interface RehearsedDelivery {
  explanation: Explanation
  tried: DeliveryRehearsal
}

/** A recent result for a recipient of the same domain. */
export interface RecentResult {
  email: Pick<EmailSummary, 'id' | 'createdAt'>
  recipient: RecipientOutline
  status: StatusName
}

/** The reason why no mail would be handed over now. */
export interface Obstacle {
  /** A sentence. */
  problem: string
  /**
   * The mail waits and is tried again, it bounces, or it ends without an attempt (a suppression, or a domain from which
   * no mail is accepted).
   */
  mail: 'waits' | 'bounces' | 'ends'
}

export interface Explanation extends Forecast {
  /** The address as it stands in the envelope. */
  address: string
  domain: string
  obstacle: Obstacle | null
  suppressions: ListedSuppression[]
  /** The pauses that cover the mail, or some of it. */
  pauses: Pause[]
  /** Why nothing leaves for the site now; null: it takes mail, as far as the nodes know. */
  closed: SiteClosure | null
  /** The lower limits that the nodes keep from this source after complaints of the servers; null: those of the path. */
  lowered: SiteState['lowered']
  /** Null: the source is not warming up. */
  warmUp: ShownWarmUp | null
  last: RecentResult[]
}

interface ShownWarmUp extends Omit<SiteWarmUp, 'messages'> {
  /** Null: none is known of today, or they are not all of the reader's company. */
  messages: number | null
  /** No more messages leave for the site today. */
  usedUp: boolean
}

/** A suppression with the name of the sending domain whose list it is on. */
interface ListedSuppression extends Suppression {
  domain: string | null
}

/**
 * The most entries of the suppression list, and the most recent emails, that are looked at: an email may have thousands
 * of addresses in its head.
 */
const MAX_SUPPRESSIONS = 20
const MAX_EMAILS = 5
/** The most recipients of an email that are searched for one at the domain. */
const MAX_RECIPIENTS = 100

/** Explains from stored facts alone, without connecting to a mail server. */
export const explain = verb('read', explained)

/**
 * Also speaks to the server, up to RCPT. Only for operators, because it makes this machine ask other people's servers
 * about addresses.
 */
export const rehearseDelivery = verb(
  'operate',
  async (op: Operation, request: ExplainRequest): Promise<RehearsedDelivery> => {
    const explanation = await explained(op, request)
    const { address } = explanation
    const sender = request.from === undefined ? '' : `postmaster@${findDomain(op, request.from).name}`
    const away = await rehearsalObstacle(explanation)
    if (away !== null) return { explanation, tried: withoutRehearsal(away) }
    const tried = await rehearse(explanation, op.setup.smtpPort, { sender, recipient: address })
    const obstacle = explanation.obstacle ?? refusalIn(tried)
    return { explanation: { ...explanation, obstacle }, tried }
  },
  null,
)

/** Null: a server accepts the recipient. */
function refusalIn({ accepted, server, message, permanent }: DeliveryRehearsal): Obstacle | null {
  if (accepted) return null
  if (server === null) return waits(`No server could be reached: ${message}`)
  return { problem: `${server} does not accept it: ${message}`, mail: permanent ? 'bounces' : 'waits' }
}

function waits(problem: string): Obstacle {
  return { problem, mail: 'waits' }
}

async function explained(op: Operation, request: ExplainRequest): Promise<Explanation> {
  const address = addressIn(request.address)
  const domain = domainOf(address)
  const sender = senderOf(op, request)
  const reports = freshReports(op)
  const [sites, closures] = await Promise.all([reports.then(combinedSites), presentClosures(op, reports)])
  const sources = sourceChoice(op, await addressesInService(op, closures.sources))
  const present = (path: Path) => presentPath(op, sender, domain, path, sites.get(path.site.key), closures)
  const isUsable = (path: Path) => {
    const { closed, warmUp } = present(path)
    return closed === null && warmUp?.usedUp !== true
  }
  const [found, suppressions, allPauses, last] = await Promise.all([
    forecastFor(op, sender, domain, { isUsable, sources }),
    suppressionsOf(op, sender, address),
    op.store.pauses(op.now()),
    lastResults(op, request, domain),
  ])
  const mail = { companyId: sender.companyId, domain, site: found.path.site.key }
  const pauses = allPauses.filter((pause) => coversMail(pause, mail))
  const facts = { ...found, ...present(found.path), address, domain, suppressions, pauses, last }
  const explanation = { ...facts, obstacle: obstacleOf(op, facts, sender) }
  const readsAll =
    op.caller.kind === 'operator' || isOwnSource(op.accounts, sender.companyId, found.path.source)
  return readsAll ? explanation : explainedInCompany(explanation)
}

/** The state of a path, as the nodes report it of its site. */
function presentPath(
  op: Operation,
  sender: Sender,
  domain: string,
  path: Path,
  site: SiteState | undefined,
  closures: PresentClosures,
): Pick<Explanation, 'closed' | 'lowered' | 'warmUp'> {
  const { name } = path.source
  const source = site?.sources.find((each) => each.name === name)
  const servers = serversText(path.site.serversKey ?? '')
  const sendingDomain = sender.domain?.name ?? null
  const { companyId } = sender
  const closed = closures.of({ companyId, sendingDomain, to: domain, servers, source: name }, path.site.key)
  return {
    closed: closed && readable(op.caller, companyId, closed),
    lowered: source?.lowered ?? { sessions: null, messagesPerMinute: null },
    warmUp: source?.warmUp === undefined ? warmUpOf(op, path) : withUse(source.warmUp),
  }
}

function withUse(warmUp: SiteWarmUp): ShownWarmUp {
  return { ...warmUp, usedUp: warmUp.messages >= warmUp.limit }
}

/** By the pools alone: no node has reported a message to the site. */
function warmUpOf({ accounts, setup, now }: Operation, { source, site }: Path): ShownWarmUp | null {
  if (site.kind !== 'direct' || source.addresses === undefined) return null
  const since = warmUpSince(warmUps(accounts.pools), source.addresses)
  if (since === undefined) return null
  const day = warmUpDay(since, now())
  const limit = setup.warmUp[day - 1]
  return limit === undefined ? null : { day, limit, messages: null, usedUp: limit === 0 }
}

interface Sender {
  /** Null: any. */
  companyId: string | null
  domain: SendingDomain | null
}

function senderOf(op: Operation, { from, company }: ExplainRequest): Sender {
  // Suppressions and pauses are those of the whole company.
  authoriseWhole(op.caller)
  if (from === undefined) return { companyId: companyScope(op, { company }) ?? onlyCompany(op), domain: null }
  const domain =
    company === undefined ? findDomain(op, from) : findOwnDomain(op, findCompany(op, company), from)
  return { companyId: domain.companyId, domain }
}

/** An operator of one company means its mail. */
function onlyCompany({ accounts: { companies } }: Operation): string | null {
  return companies.length === 1 ? companies[0]!.id : null
}

/** The suppressions that stop mail of the sender. */
async function suppressionsOf(
  op: Operation,
  { companyId, domain }: Sender,
  address: string,
): Promise<ListedSuppression[]> {
  const filter = { address, limit: Number.MAX_SAFE_INTEGER, ...(companyId !== null && { companyId }) }
  const found = await op.store.listSuppressions(filter)
  const nameOf = domainNames(op)
  return found
    .filter((each) => domain === null || (scopeOf(each) ?? domain.id) === domain.id)
    .slice(0, MAX_SUPPRESSIONS)
    .map((each) => ({ ...each, domain: nameOf(each.domainId) }))
}

type PathChoice = Pick<ForecastParts, 'isUsable' | 'sources'>

/** Companies take turns: the look-ups of one, whose servers are silent, hold up no other. */
async function forecastFor(op: Operation, sender: Sender, to: string, parts: PathChoice): Promise<Forecast> {
  const { explanations } = op
  if (explanations !== null) {
    return await explanations.inTurn(sender.companyId, () =>
      forecastWith(op, explanations, sender, to, parts),
    )
  }
  const outgoing = op.outgoing()
  try {
    const own = new SharedExplanations({ resolver: op.hosts(), ask: outgoing.ask, store: op.store })
    return await forecastWith(op, own, sender, to, parts)
  } finally {
    await outgoing.close()
  }
}

async function forecastWith(
  op: Operation,
  { resolver, policies }: Pick<SharedExplanations, 'resolver' | 'policies'>,
  { companyId, domain }: Sender,
  to: string,
  pathParts: PathChoice,
): Promise<Forecast> {
  const { delivery, allowPrivateNetworks, siteConcurrency, smtpPort } = op.setup
  const mail = {
    id: '',
    companyId: companyId ?? '',
    domainId: domain?.id ?? '',
    testMode: false,
    source: null,
    tls: domainDemand(domain?.settings.tls),
    tlsByMessage: false,
  }
  const ownRoute = new RouteTable(op.accounts.routes).for(mail)
  // Without a route of its own, the mail needs no credentials, and so no secret key.
  const seal = ownRoute === null ? NO_SEAL : await op.seal()
  const settings = { delivery, allowPrivateNetworks, siteConcurrency, smtpPort, hostname: op.hostname }
  const mtaSts = (name: string) => policies.ask(name)
  const guard = await new MailGuard(op.setup).current()
  const parts = { ...settings, ...pathParts, resolver, guard, sites: op.sites(), mtaSts, ownRoute, seal }
  return await forecast(parts, mail, to)
}

const NO_SEAL = {
  open(): never {
    throw new Error('No route, no credentials')
  },
}

async function lastResults(
  op: Operation,
  { company, from }: ExplainRequest,
  toDomain: string,
): Promise<RecentResult[]> {
  const search = { toDomain, ...(from === undefined ? { company } : { domain: from }) }
  const { emails } = await readEmailPage(op, search, { limit: MAX_EMAILS })
  const results: RecentResult[] = []
  // One after the other: all of them would arrive in one turn of the event loop.
  for (const email of emails) {
    const recipients = await op.store.readRecipients(email.id, { from: 0, limit: MAX_RECIPIENTS })
    const recipient = recipients.find(({ address }) => foldedAscii(address).endsWith(`@${toDomain}`))
    if (recipient === undefined) continue
    const range = { from: recipient.position, limit: 1, eventOctets: 0, attempts: 0 }
    // The email may have been removed a moment ago.
    const steps = await nextSteps(op, { id: email.id, ...range }).catch(nullIfMissing)
    if (steps === null) continue
    // Read together with its status, which may have changed meanwhile.
    const [shown] = steps.outline.recipients
    const [known] = statusOf(steps).recipients
    if (shown !== undefined && known !== undefined)
      results.push({ email, recipient: shown, status: statusNameOf(known) })
  }
  return results
}

/** The first thing that would stop the mail, in the order in which the service would meet it. */
function obstacleOf(
  op: Operation,
  { path, hosts, failure, suppressions, pauses, closed, warmUp }: Omit<Explanation, 'obstacle'>,
  sender: Sender,
): Obstacle | null {
  if (sender.domain !== null) {
    const inactive = inactivityReason(sender.domain)
    if (inactive !== null) {
      return { problem: `Mail from ${sender.domain.name} is not accepted: ${inactive}.`, mail: 'ends' }
    }
  }
  if (path.site.kind === 'simulator') return null
  if (path.source.missing !== undefined) return waits(`No mail can leave: ${path.source.missing}.`)
  // An unsubscription from some tags does not stop other mail.
  const stop = sender.companyId === null ? undefined : suppressions.find(({ tags }) => tags === null)
  if (stop !== undefined) {
    return { problem: `The address is suppressed (${stop.type}): ${stop.reason}.`, mail: 'ends' }
  }
  const pause = pauses.find(({ companyId }) => companyId === null || companyId === sender.companyId)
  if (pause !== undefined) {
    return waits(`An operator has paused ${scopeText(op, pause)}, ${pauseText(pause)}.`)
  }
  const unreachable = serverObstacle({ failure, hosts })
  if (unreachable !== null) {
    const { message, detail } = unreachable.failure
    const more = detail !== undefined && op.caller.kind === 'operator' ? `: ${detail}` : ''
    return { problem: `${message}${more}.`, mail: unreachable.bounces ? 'bounces' : 'waits' }
  }
  if (closed !== null) {
    const { since, reason, nextTryAt, company, sendingDomain, recipientDomain, servers } = closed
    const from = sendingDomain ?? (company === null ? 'this service' : `the company ${company}`)
    const to = recipientDomain === null ? '' : ` to ${recipientDomain}`
    const name = servers === undefined ? path.site.name : `${path.site.name} (${servers})`
    return waits(
      `${name} has taken no mail from ${from}${to} since ${utcTime(since)}: ${reason}. The next try is due at ${utcTime(nextTryAt)}.`,
    )
  }
  if (warmUp?.usedUp === true) {
    return waits(
      `The source address ${path.source.name} is warming up, and has sent ${path.site.name} the ${warmUp.limit} messages of today. Further mail waits for tomorrow (UTC).`,
    )
  }
  return null
}
