/** The installation that is shown: companies, people, domains, keys, and mail. */
import { randomUUIDv7 } from 'node:crypto'
import type { FakeDns } from '../../harness/dns.ts'
import { loadSettings } from '../../src/config/load.ts'
import { DIGEST } from '../../src/events/digest.ts'
import { NO_CREDENTIALS, type Person, type Role } from '../../src/people/person.ts'
import { type Shown, shownOn } from '../../test/console/pages.ts'
import type { Stage } from '../../test/console/stage.ts'
import { until } from '../../test/support/until.ts'
import { aDayOfMail } from './day.ts'
import { INVOICE, RECEIPT } from './letters.ts'
import { returnedMails } from './returned.ts'
import type { World } from './world.ts'

const HOUR = 3_600_000
const EMAILS_A_DAY = 3_000

const MEMBERS: Record<string, Role> = { Ada: 'owner', Ben: 'developer', Chiara: 'viewer' }

/** Sent now, the last first in the list. */
const MAIL: Record<string, unknown>[] = [
  {
    to: 'sofia.old@bigmail.example',
    subject: 'Invoice 2026-117 is due',
    tags: [{ name: 'kind', value: 'invoice' }],
  },
  {
    to: 'karl@muenchen.example',
    subject: 'What is new in November',
    tags: [{ name: 'kind', value: 'newsletter' }],
  },
  {
    to: 'Eleni <eleni@tokyo.example>',
    subject: 'Ευχαριστούμε για την παραγγελία σας',
    tags: [{ name: 'kind', value: 'receipt' }],
  },
  { to: 'ops@away.example', subject: 'Deployment of api-gateway finished' },
  {
    to: 'Ludwig Müller <ludwig@muenchen.example>',
    subject: 'Willkommen! Bitte bestätigen Sie Ihre Adresse',
    tags: [{ name: 'kind', value: 'welcome' }],
  },
  {
    to: 'team@mail.example',
    subject: 'Your weekly report',
    scheduled_at: new Date(Date.now() + 14 * HOUR).toISOString(),
  },
  {
    to: ['team@mail.example', 'sofia.old@bigmail.example'],
    subject: 'Invoice 2026-118 is due',
    attachments: [INVOICE],
    tags: [{ name: 'kind', value: 'invoice' }],
  },
  { to: 'grace@navy.example', subject: 'Reset your password', tags: [{ name: 'kind', value: 'account' }] },
  {
    to: 'Ada Lovelace <ada@analytical.example>',
    subject: 'Your receipt for order 4711',
    tags: [{ name: 'kind', value: 'receipt' }],
  },
]

/** By which mail goes to the servers of this world. */
export function settingsIn({ dns, smtpPort }: World) {
  const { delivery, dnsServers } = loadSettings(
    { POSTROAD_DELIVERY: 'direct', POSTROAD_DNS_SERVERS: dns.address, POSTROAD_HOSTNAME: 'postroad.test' },
    { envFile: null },
  )
  return { delivery, dnsServers, smtpPort, allowPrivateNetworks: true }
}

export async function personNamed(
  { service }: Stage,
  name: string,
  given: Partial<Pick<Person, 'operator' | 'memberships'>>,
): Promise<Person> {
  const person: Person = {
    ...{ id: randomUUIDv7(), address: `${name.toLowerCase()}@acme.example`, name, createdAt: Date.now() },
    ...{ version: 0, credentials: NO_CREDENTIALS, alerts: [], operator: false, memberships: [], ...given },
  }
  await service.store.addPerson(person)
  return person
}

export interface Filled extends Shown {
  /** An email that was put off. */
  delayed: string
}

/** Mail of a day, and something on every page. */
export async function fill(stage: Stage, { dns }: World): Promise<Filled> {
  const { company, service } = stage
  const { store } = service
  const shown = await shownOn(stage)
  const { keys } = await store.accounts()
  const owner = {
    companyId: company.id,
    domain: { id: shown.domain, name: stage.domain },
    keyId: keys[0]!.id,
  }
  await aDayOfMail(store, owner, EMAILS_A_DAY, Date.now())
  for (const name of ['Northwind', 'Contoso Books']) {
    const { id } = await service.company(name)
    await service.domain(id, `${name.split(' ')[0]!.toLowerCase()}.test`)
  }
  for (const [name, role] of Object.entries(MEMBERS)) {
    await personNamed(stage, name, { memberships: [{ companyId: company.id, role }] })
  }
  await service.domain(company.id, 'news.acme.test', 'inactive')
  await service.key(company.id, { domainId: shown.domain, expiresAt: Date.now() + 20 * 24 * HOUR })
  await publish(stage, shown.domain, dns)
  const sent: string[] = []
  for (const message of MAIL) sent.push(await stage.send({ ...RECEIPT, ...message }))
  await until(async () => (await store.counts(Date.now())).sending === 0, 'mail to leave')
  await store.keepInboundMails(returnedMails(sent).map((mail) => ({ mail, reports: [] })))
  const logged = await store.lastEventNumber()
  await until(async () => (await store.followerCursor(DIGEST)) >= logged, 'all of it to be counted')
  return { ...shown, email: sent.at(-1)!, delayed: sent.at(-2)! }
}

/** The records of the domain, but for SPF, which names somebody else. */
async function publish(stage: Stage, domain: string, { zone }: FakeDns): Promise<void> {
  const answer = await fetch(`${stage.service.url}/domains/${domain}`, {
    headers: { authorization: `Bearer ${stage.key}` },
  })
  const { records } = (await answer.json()) as { records: { type: string; name: string; value: string }[] }
  for (const { type, name, value } of records) {
    const isOwn = name.endsWith(stage.domain)
    zone[`${isOwn ? name : `${name}.${stage.domain}`}/${type}`] = [value]
  }
  zone[`${stage.domain}/TXT`] = ['v=spf1 include:_spf.bigmail.example ~all']
}
