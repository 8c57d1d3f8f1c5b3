/** A day of mail that has been: written as the service writes it, with the times of that day. */
import { randomUUIDv7 } from 'node:crypto'
import { Random } from '../../harness/random.ts'
import { idAt } from '../../src/email/suppression.ts'
import type { NewEmail, RecipientRecord, Store } from '../../src/store/store.ts'
import { attempt, email, result } from '../../test/store/samples.ts'
import { RECEIPT } from './letters.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
/** Emails written at once. */
const TOGETHER = 200

export interface Owner {
  companyId: string
  domain: { id: string; name: string }
  keyId: string
}

/** What applications send, and how often beside each other. */
const KINDS = [
  { subject: (n: number) => `Your receipt for order ${4_000 + n}`, tag: 'receipt', share: 45 },
  { subject: () => 'Reset your password', tag: 'account', share: 20 },
  { subject: (n: number) => `Invoice 2026-${100 + n} is due`, tag: 'invoice', share: 15 },
  { subject: () => 'Confirm your address', tag: 'welcome', share: 12 },
  { subject: () => 'What is new in November', tag: 'newsletter', share: 8 },
]

/** Where it goes. `delay`: ms that delivery takes, about. `bounces`, `delays`: of a hundred. */
const PLACES = [
  { domain: 'bigmail.example', server: 'mx.bigmail.example', share: 50, delay: 700, bounces: 1, delays: 2 },
  { domain: 'mail.example', server: 'mx.bigmail.example', share: 20, delay: 900, bounces: 2, delays: 1 },
  {
    domain: 'analytical.example',
    server: 'mail.analytical.example',
    share: 12,
    delay: 300,
    bounces: 0,
    delays: 0,
  },
  { domain: 'navy.example', server: 'mx1.navy.example', share: 8, delay: 400, bounces: 1, delays: 30 },
  {
    domain: 'tokyo.example',
    server: 'mail.analytical.example',
    share: 6,
    delay: 1_400,
    bounces: 0,
    delays: 1,
  },
  {
    domain: 'muenchen.example',
    server: 'gateway.muenchen.example',
    share: 4,
    delay: 600,
    bounces: 12,
    delays: 4,
  },
]

const NAMES = [
  'ada',
  'ben',
  'chiara',
  'dmitri',
  'elif',
  'fatima',
  'grace',
  'hugo',
  'ines',
  'jonas',
  'kofi',
  'lena',
]

/** So much mail of `owner`, most of it by day, up to some minutes ago. */
export async function aDayOfMail(store: Store, owner: Owner, emails: number, now: number): Promise<void> {
  const random = new Random(11)
  const { token } = (await store.nodes())[0]!
  const times = Array.from({ length: emails }, () => now - 4 * MINUTE - aTime(random) * (DAY - 10 * MINUTE))
  times.sort((a, b) => a - b)
  for (let at = 0; at < times.length; at += TOGETHER) {
    await Promise.all(
      times
        .slice(at, at + TOGETHER)
        .map((time, n) => oneEmail(store, owner, token, Math.round(time), at + n, random)),
    )
  }
}

/** From 0 to 1: how long ago, in days. Twice as much by day as by night, and a newsletter at noon. */
function aTime(random: Random): number {
  const at = random.next()
  if (random.next() < 0.12) return 0.31 + at * 0.02
  return random.next() < 0.5 ? at : 0.5 + (at - 0.5) * 0.9 * Math.sqrt(Math.abs(at - 0.5) * 2)
}

async function oneEmail(
  store: Store,
  owner: Owner,
  token: number,
  at: number,
  n: number,
  random: Random,
): Promise<void> {
  const kind = pick(KINDS, random)
  const place = pick(PLACES, random)
  const to = `${NAMES[Math.floor(random.next() * NAMES.length)]}.${n}@${place.domain}`
  const { id: domainId, name } = owner.domain
  const id = idAt(at)
  const subject = kind.subject(n)
  const message: NewEmail = email({ id: owner.companyId }, [to], {
    ...{ id, domainId, keyId: owner.keyId, sender: `hello@${name}`, createdAt: at, dueAt: at },
    content: {
      ...{ from: `Acme <hello@${name}>`, to: [to], cc: [], replyTo: [], subject, ...RECEIPT, headers: [] },
      ...{ attachments: [], messageId: `<${randomUUIDv7()}@${name}>`, date: at },
    },
    tags: [{ name: 'kind', value: kind.tag }],
    size: 4_200,
  })
  await store.accept(message, { token })
  const took = Math.round(place.delay * (0.5 + random.next() * random.next() * 4))
  await store.record(
    attempt({ id }, token, [outcome(place, at, took, random)], {
      ...{ startedAt: at + 20, duration: took, server: `${place.server} [192.0.2.1]:25`, dialogue: '' },
    }),
  )
}

function outcome(
  { server, bounces, delays }: (typeof PLACES)[number],
  at: number,
  took: number,
  random: Random,
): RecipientRecord {
  const chance = random.between(0, 100)
  const host = `${server} [192.0.2.1]:25`
  if (chance < bounces) {
    const message = '550 5.1.1 No such user here'
    const detail = { code: 550, enhancedCode: '5.1.1', message, server: host, attempt: 1 }
    return result(0, {
      ...{ state: 'bounced', code: 550, message, server: host, suppress: true },
      events: [{ type: 'bounced', at: at + took, detail }],
    })
  }
  const wait = chance < bounces + delays ? 5 * MINUTE + random.next() * 20 * MINUTE : 0
  const delay = {
    code: 451,
    message: '451 4.7.1 Greylisted, please come back in 5 minutes',
    server: host,
    attempt: 1,
  }
  const delivered = { code: 250, message: '250 2.0.0 Ok: queued', server: host, attempt: wait > 0 ? 2 : 1 }
  const after = Math.round(at + took + wait)
  return result(0, {
    server: host,
    events: [
      ...(wait > 0 ? [{ type: 'delivery_delayed' as const, at: at + took, detail: delay }] : []),
      { type: 'delivered', at: after, detail: delivered },
      ...(random.next() < 0.002 ? [{ type: 'complained' as const, at: after + 9 * MINUTE, detail: {} }] : []),
    ],
  })
}

/** By the shares. */
function pick<Each extends { share: number }>(all: readonly Each[], random: Random): Each {
  let left = random.next() * all.reduce((sum, { share }) => sum + share, 0)
  for (const each of all) {
    left -= each.share
    if (left < 0) return each
  }
  return all[0]!
}
