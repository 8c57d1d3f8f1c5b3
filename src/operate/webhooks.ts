/** Webhooks: where a company wants to be told what happens to its mail. */
import { randomUUIDv7 } from 'node:crypto'
import type { Company, SendingDomain } from '../accounts/account.ts'
import type { EventType } from '../email/event.ts'
import { typesOfWord, WEBHOOK_WORDS } from '../events/told/types.ts'
import { sampleEvent } from '../events/webhooks/sample.ts'
import {
  openSigningKey,
  openWebhookSecret,
  sealSigningKey,
  sealWebhookSecret,
} from '../events/webhooks/secrets.ts'
import {
  counting,
  newSigningKey,
  newWebhookSecret,
  payload,
  webhookRequest,
} from '../events/webhooks/sign.ts'
import { NoAnswer, NotAUrl, outgoingUrl } from '../network/outgoing.ts'
import type { Webhook, WebhookDialect } from '../store/store.ts'
import { OperateError } from './error.ts'
import { companyScope, findCompany, findDomain, findWholeCompany, type OfCompany } from './find.ts'
import { type Operation, verb } from './verb.ts'

/** Of one company. */
const MOST = 100
/** Milliseconds a test may take, and octets of its answer. */
const TEST_MS = 15_000
const MOST_RESPONSE = 1_024

export interface NewWebhookInput {
  /** Name or id. */
  company: string
  url: string
  /** In the words of the dialect; absent or empty: everything. */
  events?: readonly string[] | undefined
  /** Default: json. */
  dialect?: WebhookDialect | undefined
  /** Name or id: only of mail of this domain. */
  domain?: string | undefined
}

export interface OwnedWebhook {
  webhook: Webhook
  company: Company
  /** Null: of all domains of the company. */
  domain: SendingDomain | null
}

/** The secret is seen here only; that of the form dialect is the company's, and can be shown. */
export const addWebhook = verb(
  'manage',
  async (op, input: NewWebhookInput): Promise<OwnedWebhook & { secret: string }> => {
    const { dialect = 'json' } = input
    const domain = input.domain === undefined ? null : findDomain(op, input.domain)
    const company = domain === null ? findWholeCompany(op, input.company) : findCompany(op, input.company)
    if (domain !== null && domain.companyId !== company.id) {
      throw new OperateError('not_found', `${domain.name} is not a domain of ${company.name}`, {
        verb: 'listDomains',
        company: company.id,
      })
    }
    const types = eventTypes(dialect, input.events ?? [])
    const url = checkedWebhookUrl(input.url)
    if ((await op.store.webhooks({ companyId: company.id })).length >= MOST) {
      throw new OperateError('conflict', `a company has at most ${MOST} webhooks; remove one of them first`)
    }
    const seal = await op.seal()
    const id = randomUUIDv7()
    const own = newWebhookSecret()
    const secret = dialect === 'json' ? own : await signingKeyOf(op, company.id)
    const webhook: Webhook = {
      ...{
        id,
        companyId: company.id,
        domainId: domain?.id ?? null,
        dialect,
        url,
        types,
        status: 'enabled' as const,
      },
      ...{
        secret: sealWebhookSecret(seal, id, own),
        previousSecret: null,
        rotatedAt: null,
        createdAt: op.now(),
      },
      ...{ failingSince: null, disabledAt: null, disabledReason: null },
      cursor: await op.store.lastEventNumber(),
    }
    await op.store.addWebhook(webhook)
    return { webhook, company, domain, secret }
  },
)

/** In the order they were made. */
export const listWebhooks = verb('see', knownWebhooks)

export const showWebhook = verb('see', async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
  return await findWebhook(op, id)
})

export interface WebhookUpdate {
  id: string
  url?: string | undefined
  /** In the words of its dialect; empty: everything. */
  events?: readonly string[] | undefined
  /** Enabled anew it begins with what happens from then on: what was missed can be told again (`replayWebhook`). */
  enabled?: boolean | undefined
}

export const updateWebhook = verb('manage', async (op, input: WebhookUpdate): Promise<OwnedWebhook> => {
  const { id, url, events, enabled } = input
  const { webhook } = await findWebhook(op, id)
  const switched = enabled !== undefined && enabled !== (webhook.status === 'enabled')
  await op.store.updateWebhook(id, {
    ...(url !== undefined && { url: checkedWebhookUrl(url) }),
    ...(events !== undefined && { types: eventTypes(webhook.dialect, events) }),
    ...(switched && enabled && (await anew(op))),
    ...(switched &&
      !enabled && {
        status: 'disabled' as const,
        disabledAt: op.now(),
        disabledReason: 'it was switched off',
      }),
  })
  return await findWebhook(op, id)
})

async function anew(op: Operation) {
  const cursor = await op.store.lastEventNumber()
  return { status: 'enabled' as const, cursor, failingSince: null, disabledAt: null, disabledReason: null }
}

export const removeWebhook = verb('manage', async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
  const found = await findWebhook(op, id)
  await op.store.removeWebhook(id)
  return found
})

/** The secret before it signs too for a day: receivers take both meanwhile. */
export const rotateWebhookSecret = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook & { secret: string }> => {
    const { webhook } = await findWebhook(op, id)
    if (webhook.dialect === 'form') {
      throw new OperateError(
        'invalid',
        'a webhook of the form dialect is signed with the signing key of its company',
      )
    }
    const secret = newWebhookSecret()
    const sealed = sealWebhookSecret(await op.seal(), id, secret)
    await op.store.updateWebhook(id, { secret: sealed, previousSecret: webhook.secret, rotatedAt: op.now() })
    return { ...(await findWebhook(op, id)), secret }
  },
)

export interface WebhookTest {
  /** What was sent. */
  body: string
  headers: Record<string, string>
  /** Of the answer; null: none came, and `error` says why. */
  status: number | null
  error: string | null
  response: string
  /** Milliseconds. */
  duration: number
}

/** Sends a sample of an event, once, from here, signed as an event would be. */
export const testWebhook = verb(
  'manage',
  async (op, { id, event }: { id: string; event: string }): Promise<WebhookTest> => {
    const { webhook, domain } = await findWebhook(op, id)
    const [type] = eventTypes(webhook.dialect, [event])
    const now = op.now()
    const sample = sampleEvent(type!, webhook.companyId, domain?.name ?? 'example.com', now)
    const told = payload(webhook.dialect, sample)!
    const { headers, body } = webhookRequest(
      webhook,
      await secretsOf(op, webhook),
      sample.event.number,
      told,
      now,
    )
    const outgoing = op.outgoing()
    const tried = (status: number | null, error: string | null, response: string): WebhookTest => {
      return { body, headers, status, error, response, duration: op.now() - now }
    }
    try {
      const limits = { timeoutMs: TEST_MS, maxOctets: MOST_RESPONSE }
      const answer = await outgoing.ask({
        method: 'POST',
        url: new URL(webhook.url),
        headers,
        body,
        ...limits,
      })
      return tried(answer.status, null, answer.body.toString())
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return tried(null, error.message, '')
    } finally {
      await outgoing.close()
    }
  },
)

/** What its messages are signed with: the newest secret, or the signing key of its company in the form dialect. */
export const showWebhookSecret = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook & { secret: string }> => {
    const found = await findWebhook(op, id)
    const [secret] = await secretsOf(op, found.webhook)
    return { ...found, secret: secret! }
  },
)

/** What the webhooks of a company are signed with in the form dialect; made when it is first asked for. */
export const showSigningKey = verb(
  'manage',
  async (op, input: { company: string }): Promise<{ company: Company; key: string }> => {
    const company = findWholeCompany(op, input.company)
    return { company, key: await signingKeyOf(op, company.id) }
  },
)

/** Another one, from now on: that dialect has no place for two signatures. */
export const rotateSigningKey = verb(
  'manage',
  async (op, input: { company: string }): Promise<{ company: Company; key: string }> => {
    const company = findWholeCompany(op, input.company)
    const key = newSigningKey()
    await op.store.setSigningKey(company.id, sealSigningKey(await op.seal(), company.id, key), true)
    return { company, key }
  },
)

/** Of the form dialect; made when it is first needed. */
export async function signingKeyOf(op: Operation, companyId: string): Promise<string> {
  const seal = await op.seal()
  const known = await op.store.signingKey(companyId)
  if (known !== null) return openSigningKey(seal, companyId, known)
  const made = sealSigningKey(seal, companyId, newSigningKey())
  return openSigningKey(seal, companyId, await op.store.setSigningKey(companyId, made, false))
}

async function secretsOf(op: Operation, webhook: Webhook): Promise<string[]> {
  const { id, companyId, dialect, secret, previousSecret, rotatedAt } = webhook
  if (dialect === 'form') return [await signingKeyOf(op, companyId)]
  const seal = await op.seal()
  return counting(secret, previousSecret, rotatedAt, op.now()).map((each) =>
    openWebhookSecret(seal, id, each),
  )
}

/** Throws `not_found`. */
export async function findWebhook(op: Operation, id: string): Promise<OwnedWebhook> {
  // What is no text to a database is no id either.
  const [webhook] = id.includes('\0') ? [] : await op.store.webhooks({ id })
  const found = webhook !== undefined && mayKnow(op, webhook) ? owned(op, webhook) : null
  if (found !== null) return found
  throw noSuchWebhook(id)
}

export function noSuchWebhook(id: string): OperateError {
  return new OperateError(
    'not_found',
    `there is no webhook with the id "${id}"`,
    { verb: 'listWebhooks' },
    { about: { noun: 'webhook', name: id } },
  )
}

/** Those that the caller knows. */
export async function knownWebhooks(op: Operation, of: OfCompany): Promise<OwnedWebhook[]> {
  const { caller } = op
  const whole = caller.kind === 'operator' || caller.principal.domainId === null
  const companyId = whole ? companyScope(op, of) : caller.principal.companyId
  const all = await op.store.webhooks(companyId === null ? {} : { companyId })
  return all.filter((webhook) => mayKnow(op, webhook)).flatMap((webhook) => owned(op, webhook) ?? [])
}

/** A key for one domain knows those of that domain. */
function mayKnow({ caller }: Operation, { companyId, domainId }: Webhook): boolean {
  if (caller.kind === 'operator') return true
  const { principal } = caller
  return principal.companyId === companyId && (principal.domainId === null || principal.domainId === domainId)
}

function owned({ accounts }: Operation, webhook: Webhook): OwnedWebhook | null {
  const company = accounts.companies.find(({ id }) => id === webhook.companyId)
  const domain = accounts.domains.find(({ id }) => id === webhook.domainId) ?? null
  return company === undefined ? null : { webhook, company, domain }
}

/** As it is asked. Throws `invalid`. */
export function checkedWebhookUrl(text: string): string {
  try {
    return outgoingUrl(text).href
  } catch (error) {
    if (!(error instanceof NotAUrl)) throw error
    throw new OperateError('invalid', `"${text}" ${error.message}`, null, { cause: error })
  }
}

/** What a dialect calls the events it tells. */
export function webhookWords(dialect: WebhookDialect): string[] {
  return Object.keys(WEBHOOK_WORDS[dialect])
}

/** What words of a dialect stand for, each type once. Throws `invalid`. */
export function eventTypes(dialect: WebhookDialect, words: readonly string[]): EventType[] {
  const types = words.flatMap((word) => {
    const meant = typesOfWord(dialect, word)
    if (meant !== null) return meant
    const known = webhookWords(dialect).join(', ')
    throw new OperateError('invalid', `a webhook of this dialect has no event "${word}"; there are ${known}`)
  })
  return [...new Set(types)]
}
