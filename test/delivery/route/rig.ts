/** Parts for the tests of routes: deliveries, couriers over a zone of DNS, and sinks on loopback addresses with one port. */

import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { TestContext } from 'node:test'
import { type FakeDns, startDns, type Zone } from '../../../harness/dns.ts'
import { freePort } from '../../../harness/free-port.ts'
import { type LogLine, postedLog } from '../../../src/common/logging.ts'
import type { DeliveryRoute, RelayRoute } from '../../../src/config/settings.ts'
import type {
  Delivery,
  DeliveryResult,
  RecipientOutcome,
  SigningKey,
} from '../../../src/delivery/delivery.ts'
import { DEFAULT_ROUTE, type DeliveryPath, type Site } from '../../../src/delivery/path/path.ts'
import { RouteCourier, type RouteCourierOptions } from '../../../src/delivery/route-courier.ts'
import { Resolver } from '../../../src/dns/resolver.ts'
import { isSimulated } from '../../../src/email/simulated.ts'
import { Boundaries } from '../../../src/mail/compose/boundary.ts'
import type { MessageContent } from '../../../src/mail/message.ts'
import { type Sink, type SinkOptions, startSink } from '../../support/sink.ts'

const { privateKey } = generateKeyPairSync('ed25519')

export const signingKey: SigningKey = {
  id: 'key1',
  domain: 'acme.test',
  selector: 's1',
  algorithm: 'ed25519-sha256',
  privateKey,
}

/** The record that the DNS of `acme.test` would publish for `signingKey`. */
export const publishedKeys = new Map([
  [
    's1._domainkey.acme.test',
    `v=DKIM1; k=ed25519; p=${Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x!, 'base64url').toString('base64')}`,
  ],
])

export const boundaries = new Boundaries(Buffer.alloc(32, 1))

export const content: MessageContent = {
  from: 'Acme <news@acme.test>',
  to: ['Jane <jane@x.test>'],
  cc: [],
  replyTo: [],
  subject: 'Grüße',
  text: 'Hello Jané,\n.\nbye\n',
  html: '<p>Hello</p>',
  headers: [],
  attachments: [],
  messageId: '<one@acme.test>',
  date: Date.UTC(2026, 10, 20, 12),
}

/** A path by this route, as the courier gets it: the servers of a direct one are not known yet. */
export function wayBy(route: DeliveryRoute, kind: Site['kind'] = route.kind): DeliveryPath {
  return {
    source: { name: 'default', helo: 'out.acme.test' },
    policy: { id: DEFAULT_ROUTE, route, firstAlone: false },
    site: { kind, servers: null },
    terms: {
      messagesPerSession: 100,
      recipientsPerTransaction: 100,
      tls: 'opportunistic',
      envelopeBehindDot: true,
      replies: [],
    },
  }
}

export const emailSent: Delivery['email'] = {
  id: 'email-1',
  companyId: 'company-1',
  sender: 'news@acme.test',
  returnPathHost: null,
  createdAt: 1_800_000_000_000,
  testMode: false,
  tls: null,
  tlsByMessage: false,
}

export function deliveryTo(addresses: string[], changes: Partial<Delivery> = {}): Delivery {
  return {
    email: emailSent,
    path: wayBy({ kind: 'capture' }),
    recipients: addresses.map((address, position) => ({ position, address, attempts: 0 })),
    message: { kind: 'parts', content },
    signing: [signingKey],
    preferredServer: null,
    preferredOnly: false,
    leaseToken: 1,
    ...changes,
  }
}

export interface Rig {
  courier: RouteCourier
  dns: FakeDns
  log: LogLine[]
  deliver(addresses: string[], changes?: Partial<Delivery>): Promise<DeliveryResult>
  /** For deliveries to one recipient. */
  outcome(address: string, changes?: Partial<Delivery>): Promise<RecipientOutcome>
}

/** A courier for the length of a test. Private networks are allowed unless `changes` say otherwise. */
export async function startRig(
  t: TestContext,
  route: DeliveryRoute,
  zone: Zone = {},
  changes: Partial<RouteCourierOptions> = {},
): Promise<Rig> {
  const dns = await startDns(zone)
  const log: LogLine[] = []
  const courier = new RouteCourier({
    resolver: new Resolver({ servers: [dns.address], timeout: 500, tries: 1 }),
    smtpPort: 25,
    allowPrivateNetworks: true,
    retrySchedule: [120_000],
    boundaries,
    right: { holds: () => true },
    log: postedLog((line) => log.push(line)),
    ...changes,
  })
  t.after(async () => {
    await courier.close(1000)
    await dns.close()
  })
  const deliver = (addresses: string[], delivery: Partial<Delivery> = {}) => {
    const domain = addresses[0]!.slice(addresses[0]!.lastIndexOf('@') + 1)
    const simulated = isSimulated(domain, delivery.email?.testMode === true)
    const path = wayBy(route, simulated ? 'simulator' : route.kind)
    return courier.deliver(deliveryTo(addresses, { path, ...delivery }))
  }
  const outcome = async (address: string, delivery?: Partial<Delivery>) =>
    (await deliver([address], delivery)).outcomes[0]!
  return { courier, dns, log, deliver, outcome }
}

/** One sink on each address, all on one port, as the hosts of direct delivery are. Ends with the test. */
export async function startSinks(
  t: TestContext,
  hosts: Record<string, Omit<SinkOptions, 'port' | 'host'>>,
): Promise<{ port: number; at: (address: string) => Sink }> {
  const sinks = new Map<string, Sink>()
  t.after(() => Promise.all([...sinks.values()].map((sink) => sink.close())))
  let port = await freePort()
  for (const [host, options] of Object.entries(hosts)) {
    const sink = await startSink({ name: host, ...options, host, port })
    port = sink.port
    sinks.set(host, sink)
  }
  return { port, at: (address) => sinks.get(address)! }
}

export function relayAt(port: number, changes: Partial<RelayRoute> = {}): RelayRoute {
  return {
    kind: 'relay',
    host: '127.0.0.1',
    port,
    implicitTls: false,
    tls: 'opportunistic',
    user: null,
    password: null,
    auth: null,
    ...changes,
  }
}
