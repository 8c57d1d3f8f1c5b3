/** The service in this process, one real mail server before it, and a DNS that leads to the server's addresses. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type Certificate, selfSigned } from '../../harness/certificate.ts'
import { type FakeDns, startDns, type Zone } from '../../harness/dns.ts'
import { freePort } from '../../harness/free-port.ts'
import { keysOfDomains, type PublishedKeys } from '../../harness/verify-dkim.ts'
import type { RelayRoute, Settings } from '../../src/config/settings.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { rawCopies } from '../../src/operate/raw-copies.ts'
import type { EmailHistory } from '../../src/store/store.ts'
import { ApiClient } from '../support/api-client.ts'
import { type Service, startService } from '../support/service.ts'
import type { Peer, PeerOptions } from './peer.ts'

/** Ms to wait for an expected event. */
const PATIENCE = 30_000

/** Mail leaves from here. */
export const SENDER = 'sender@acme.test'

export interface MailServers {
  /** No host is preferred to another one; otherwise each to those behind it. */
  equal?: boolean | undefined
  /** Nobody can have changed what the DNS says of them. */
  signed?: boolean | undefined
}

export class Stage<AnyPeer extends Peer> implements AsyncDisposable {
  readonly peer: AnyPeer
  readonly port: number
  readonly #dns: FakeDns
  readonly #started: AsyncDisposableStack

  private constructor(peer: AnyPeer, port: number, dns: FakeDns, started: AsyncDisposableStack) {
    this.peer = peer
    this.port = port
    this.#dns = dns
    this.#started = started
  }

  static async set<AnyPeer extends Peer>(
    start: (options: PeerOptions) => Promise<AnyPeer>,
    host: string,
    boxes: readonly string[],
    certificate: Certificate = selfSigned([host], 30, 'rsa'),
  ): Promise<Stage<AnyPeer>> {
    await using started = new AsyncDisposableStack()
    const port = await freePort(host)
    const dns = await startDns({})
    started.defer(() => dns.close())
    const peer = started.use(await start({ port, certificate, boxes }))
    return new Stage(peer, port, dns, started.move())
  }

  /** What the DNS has, beside the mail servers of the domains that are delivered to. */
  get zone(): Zone {
    return this.#dns.zone
  }

  /** The service, which delivers directly to these mail servers of the domain. */
  async direct(
    domain: string,
    hosts: readonly string[],
    settings: Partial<Settings> & MailServers = {},
  ): Promise<Sending> {
    const { equal, signed, ...changed } = settings
    this.lead(domain, hosts, { equal, signed })
    return await this.#service({
      delivery: { kind: 'direct' },
      dnsServers: [this.#dns.address],
      smtpPort: this.port,
      allowPrivateNetworks: true,
      ...changed,
    })
  }

  /** Makes these hosts, mx0 and so on, the mail servers of the domain. */
  lead(domain: string, hosts: readonly string[], { equal = false, signed = false }: MailServers = {}): void {
    const { zone } = this
    const answer = (values: string[]) => (signed ? { values, secure: true as const } : values)
    const preferences = hosts.map((_, index) => (equal ? 10 : (index + 1) * 10))
    zone[`${domain}/MX`] = answer(preferences.map((each, index) => `${each} mx${index}.${domain}`))
    for (const [index, host] of hosts.entries()) zone[`mx${index}.${domain}/A`] = answer([host])
  }

  /** The service with this host as its relay. */
  async relayed(
    host: string,
    relay: Partial<RelayRoute> = {},
    settings: Partial<Settings> = {},
  ): Promise<Sending> {
    const route: RelayRoute = {
      kind: 'relay',
      host,
      port: this.port,
      implicitTls: false,
      tls: 'opportunistic',
      user: null,
      password: null,
      auth: null,
      ...relay,
    }
    return await this.#service({ delivery: route, ...settings })
  }

  async #service(settings: Partial<Settings>): Promise<Sending> {
    // What waits is to stay: a test that wants it tried again says so.
    const service = await startService({ retrySchedule: [36_000_000, 36_000_000], ...settings })
    const { company, domain, key } = await service.tenant('acme.test')
    return new Sending(service, company.id, new ApiClient(service.url, key.token), keysOfDomains([domain]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync()
  }
}

/** One company that sends. */
export class Sending implements AsyncDisposable {
  readonly service: Service
  readonly companyId: string
  readonly api: ApiClient
  readonly keys: PublishedKeys

  constructor(service: Service, companyId: string, api: ApiClient, keys: PublishedKeys) {
    this.service = service
    this.companyId = companyId
    this.api = api
    this.keys = keys
  }

  /** A small message; its id. */
  send(to: readonly string[], more: object = {}): Promise<string> {
    return this.api.accepted({ from: `Sender <${SENDER}>`, to, subject: 'Peers', text: 'Hello.\n', ...more })
  }

  /** The record of the email once nothing of it is under way and every recipient has left its first place in the queue. */
  async settled(id: string): Promise<EmailHistory> {
    return await this.#until(id, ({ recipients }) => {
      return recipients.every(
        ({ state, lastMessage }) => state !== 'sending' && (state !== 'waiting' || lastMessage !== null),
      )
    })
  }

  async delivered(id: string): Promise<EmailHistory> {
    return await this.#until(id, ({ recipients }) => recipients.every(({ state }) => state === 'delivered'))
  }

  async #until(id: string, reached: (history: EmailHistory) => boolean): Promise<EmailHistory> {
    let history: EmailHistory | null = null
    const found = await arrived(async () => {
      history = await this.service.store.readHistory(id)
      return history !== null && reached(history)
    })
    const { recipients, attempts } = history!
    const seen = () =>
      `${JSON.stringify(recipients, null, 1)}\n${attempts.map(({ dialogue }) => dialogue).join('\n\n')}`
    assert.ok(found, found ? '' : seen())
    return history!
  }

  /** How the recipients stand: state, attempts, whether suppressed. */
  async outcome(id: string): Promise<{ state: string; attempts: number; suppressed: boolean }[]> {
    const { recipients } = await this.settled(id)
    const suppressions = await this.service.store.listSuppressions({ limit: 1_000 })
    const addresses = new Set(suppressions.map(({ address }) => address))
    return recipients.map(({ state, attempts, address }) => {
      return { state, attempts, suppressed: addresses.has(address) }
    })
  }

  /** What is waiting is tried now. */
  async retry(): Promise<void> {
    await this.service.store.retry({ companyId: null, domains: null, emailId: null, now: Date.now() })
  }

  /** The octets that left for this recipient. */
  async raw(id: string, address: string): Promise<Buffer> {
    const { store, settings } = this.service
    const operation = operationOn(settings, store, OPERATOR, await store.accounts())
    const [copy] = await rawCopies(operation, { id, recipient: address })
    return copy!.message
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close()
  }
}

/** What was delivered to this box, once so many messages are there. */
export async function inBox(peer: Peer, box: string, count: number): Promise<Buffer[]> {
  const found = await arrived(async () => peer.delivered(box).length >= count)
  assert.ok(
    found,
    `${peer.delivered(box).length} of ${count} messages in the box ${box}:\n${found ? '' : peer.log.slice(-3_000)}`,
  )
  return peer.delivered(box)
}

async function arrived(look: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + PATIENCE
  while (!(await look())) {
    if (performance.now() > end) return false
    await pause(15)
  }
  return true
}
