/** Two companies with a little of everything, and callers of every kind. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiKey, Company, Scope, SendingDomain } from '../../src/accounts/account.ts'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { Seal } from '../../src/accounts/seal.ts'
import { openSiteTable } from '../../src/delivery/sites/sites-file.ts'
import { messageId } from '../../src/events/webhooks/message-id.ts'
import { Outgoing } from '../../src/network/outgoing.ts'
import { addressGuard } from '../../src/network/private-address.ts'
import { type Caller, OPERATOR } from '../../src/operate/authority.ts'
import type { SuppressionInput } from '../../src/operate/suppression-check.ts'
import type { Operation } from '../../src/operate/verb.ts'
import { addWebhook, updateWebhook } from '../../src/operate/webhooks.ts'
import { openStore } from '../../src/store/open.ts'
import type { NewEmail, Store, Suppression } from '../../src/store/store.ts'
import { person } from '../store/contract/people.ts'
import { accept, apiKey, company, email, node, suppress, suppression } from '../store/samples.ts'

const nothing = async () => ({ kind: 'absent', reason: 'NXDOMAIN' }) as const

/** The caller with this key. */
function member({ id, companyId, scopes, domainId }: ApiKey): Caller {
  const principal = { keyId: id, companyId, scopes: new Set(scopes), domainId, address: '192.0.2.1' }
  return { kind: 'member', principal }
}

export interface Owned {
  company: Company
  domains: [SendingDomain, SendingDomain]
  /** Text that stands in nothing of another company. */
  marks: string[]
}

export class World implements AsyncDisposable {
  readonly store: Store
  readonly acme: Owned
  readonly beta: Owned
  readonly callers: Readonly<Record<CallerName, Caller>>
  readonly #seal: Seal
  readonly #directory: string
  #serial = 0
  #webhook: string | null = null

  private constructor(
    store: Store,
    directory: string,
    seal: Seal,
    { acme, beta, callers }: Pick<World, 'acme' | 'beta' | 'callers'>,
  ) {
    this.store = store
    this.acme = acme
    this.beta = beta
    this.#seal = seal
    this.#directory = directory
    this.callers = callers
  }

  static async make(): Promise<World> {
    const directory = mkdtempSync(join(tmpdir(), 'postroad-operate-'))
    const store = await openStore({ engine: 'sqlite', path: join(directory, 'x.db') }, { exclusive: true })
    const seal = new Seal(randomBytes(32))
    const [acme, beta] = [await owned(store, seal, 'Acme'), await owned(store, seal, 'Beta')]
    const by = async ({ company }: Owned, scopes: Scope[], domainId: string | null = null) => {
      const key = { ...apiKey(company), scopes, domainId, networks: [], expiresAt: null }
      await store.addKey(key)
      return member(key)
    }
    const callers = {
      operator: OPERATOR,
      manager: await by(acme, ['reading', 'management']),
      administrator: await by(acme, ['management']),
      reader: await by(acme, ['reading']),
      sender: await by(acme, ['sending']),
      restricted: await by(acme, ['reading', 'management'], acme.domains[0].id),
      foreign: await by(beta, ['reading', 'management']),
    }
    const world = new World(store, directory, seal, { acme, beta, callers })
    for (const each of [acme, beta]) {
      const name = each.company.name.toLowerCase()
      await world.email(each)
      await world.quarantined(each)
      await world.key(each)
      await suppress(store, each.company.id, `gone@${name}-list.test`, 'asked', 1)
      await store.pause({ companyId: each.company.id, domain: `${name}-paused.test`, since: 1 })
    }
    return world
  }

  async operation(caller: CallerName): Promise<Operation> {
    return {
      caller: this.callers[caller],
      store: this.store,
      accounts: await this.store.accounts(),
      hostname: 'mail.service.test',
      publicUrl: null,
      apiUrl: () => 'http://mail.test',
      seal: async () => this.#seal,
      resolver: () => ({ txt: nothing, mx: nothing, cname: nothing, addresses: nothing }),
      sites: () => openSiteTable({ sites: null, siteConcurrency: 20 }),
      hosts: () => ({
        mx: nothing,
        addresses: nothing,
        txt: nothing,
        tlsa: nothing,
        names: nothing,
        ns: nothing,
      }),
      inDnsTurn: (_, ask) => ask(),
      setup: {
        allowPrivateNetworks: true,
        bounceHost: null,
        deliverWithin: null,
        fullMailbox: null,
        listen: { host: '127.0.0.1', port: 8025 },
        metrics: 'off',
        bounceMailbox: null,
        bounceListeners: [],
        console: 'same',
        database: { engine: 'sqlite', path: 'x.db' },
        delivery: { kind: 'capture' },
        dkimRotation: null,
        dkimZone: null,
        domainGrace: 3 * 24 * 3_600_000,
        dnsServers: [],
        dnsValidating: [],
        publicUrl: null,
        retrySchedule: [60_000, 300_000],
        sites: null,
        siteConcurrency: 20,
        smtpPort: 25,
        sourceAddresses: null,
        submission: [],
        systemFrom: null,
        trustedProxies: [],
        warmUp: [50, 100],
        tls: null,
      },
      outgoing: () =>
        new Outgoing({
          guard: addressGuard({ allowPrivateNetworks: true }),
          resolve: async () => [],
          connections: 1,
        }),
      guard: () => addressGuard({ allowPrivateNetworks: true }),
      explanations: null,
      deliveries: null,
      workers: null,
      inTurn: (_company, look) => look(),
      now: () => Date.now(),
    }
  }

  /** The operation of a member with this key. */
  async as(key: ApiKey): Promise<Operation> {
    await this.store.addKey(key)
    return { ...(await this.operation('operator')), caller: member(key) }
  }

  /** An unused domain name. */
  newName(): string {
    return `new${this.#serial++}.test`
  }

  /** A waiting email, from the first domain of the company unless given otherwise. */
  async email({ company, domains } = this.acme, change: Partial<NewEmail> = {}): Promise<NewEmail> {
    return await accept(this.store, mail(company, domains[0], change))
  }

  /** An email without waiting recipients. */
  async ended(): Promise<NewEmail> {
    const email = await this.email()
    await this.store.cancel(email.id, Date.now())
    return email
  }

  /** One that waits for its time. */
  async scheduled(): Promise<NewEmail> {
    const at = Date.now() + 3_600_000
    return await this.email(this.acme, { dueAt: at, scheduledAt: at })
  }

  /** A suppression of an unused address. */
  suppression(): SuppressionInput {
    return { address: `a@${this.newName()}`, type: 'manual' }
  }

  /** An address that wants no mail with the tag. */
  async unsubscribed(tag: string): Promise<Suppression> {
    const { company } = this.acme
    const made = suppression(company, this.suppression().address, { type: 'unsubscribe', tags: [tag] })
    await this.store.addSuppressions([made])
    return made
  }

  /** One of all of the company's mail; it is disabled. */
  async webhook(): Promise<string> {
    const op = await this.operation('operator')
    // A company has a hundred at most, and each row of a table makes one for each caller.
    if (this.#webhook !== null) await this.store.removeWebhook(this.#webhook)
    const { webhook } = await addWebhook(op, {
      company: this.acme.company.id,
      url: 'http://127.0.0.1:2/hook',
    })
    await updateWebhook(op, { id: webhook.id, enabled: false })
    this.#webhook = webhook.id
    return webhook.id
  }

  /** An event of the company, as this webhook gets it. */
  async eventOf(webhookId: string): Promise<string> {
    const { events } = await this.store.eventsAfter(0, { companyId: this.acme.company.id }, 1)
    return messageId(webhookId, events[0]!)
  }

  async allowed(value: string): Promise<void> {
    const companyId = this.acme.company.id
    await this.store.addAllowed([
      { companyId, domainId: null, value, kind: 'domain', reason: null, createdAt: 1 },
    ])
  }

  async quarantined(of = this.acme): Promise<NewEmail> {
    const token = await this.store.join(node('n'))
    const value = mail(of.company, of.domains[0])
    await this.store.accept(value, { token })
    const { id: emailId } = value
    const why = { others: 'quarantine', at: 1, message: `died of ${of.company.name}` } as const
    await this.store.quarantine({ emailId, leaseToken: token, positions: [0], ...why })
    return value
  }

  /** Id of a person who belongs to the company. */
  async person({ company } = this.acme): Promise<string> {
    const address = `ada@${this.newName()}`
    const added = person({ address, memberships: [{ companyId: company.id, role: 'viewer' }] })
    await this.store.addPerson(added)
    return added.id
  }

  async key(of = this.acme, change: Partial<ApiKey> = {}): Promise<ApiKey> {
    const key = { ...apiKey(of.company), ...change }
    await this.store.addKey(key)
    return key
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

export const CALLERS = [
  'operator',
  'manager',
  'administrator',
  'reader',
  'sender',
  'restricted',
  'foreign',
] as const
export type CallerName = (typeof CALLERS)[number]

function mail(company: Company, domain: SendingDomain, change: Partial<NewEmail> = {}): NewEmail {
  const made = email(company, [`to@customer-of.${domain.name}`], { domainId: domain.id })
  const messageId = `<${made.id}@${domain.name}>`
  return { ...made, content: { ...made.content, from: `me@${domain.name}`, messageId }, ...change }
}

async function owned(store: Store, seal: Seal, name: string): Promise<Owned> {
  const made = company(name)
  await store.addCompany(made)
  const add = async (domain: string) => {
    const value = await newDomain({ companyId: made.id, name: domain, seal, ed25519: false })
    await store.addDomain(value)
    return value
  }
  const domains = [
    await add(`${name.toLowerCase()}.test`),
    await add(`other.${name.toLowerCase()}.test`),
  ] satisfies Owned['domains']
  return {
    company: made,
    domains,
    marks: [made.id, name, name.toLowerCase(), ...domains.map(({ id }) => id)],
  }
}
