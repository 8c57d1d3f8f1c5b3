import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { monotonic } from '../../src/common/clock.ts'
import type { Delivery, DeliveryResult } from '../../src/delivery/delivery.ts'
import type { MailServers } from '../../src/delivery/path/path.ts'
import { deliveryOf, flatDelivery, flatResult, resultOf } from '../../src/delivery/thread/flat.ts'
import { wayBy } from './route/rig.ts'

const { privateKey } = generateKeyPairSync('ed25519')

const delivery: Delivery = {
  email: {
    id: 'email',
    companyId: 'company',
    sender: 'a@acme.test',
    returnPathHost: 'bounces.acme.test',
    createdAt: 1_800_000_000_000,
    testMode: true,
    tls: 'verified',
    tlsByMessage: true,
  },
  recipients: [
    { position: 3, address: 'x@x.test', attempts: 2 },
    { position: 5, address: 'y@x.test', attempts: 0 },
  ],
  path: wayBy({ kind: 'direct' }),
  message: { kind: 'raw', raw: Uint8Array.of(1, 2, 3), date: 1_800_000_000_000, addressee: null },
  signing: [{ id: 'key', domain: 'acme.test', selector: 's', algorithm: 'ed25519-sha256', privateKey }],
  preferredServer: 'mx.x.test [192.0.2.1]:25',
  preferredOnly: true,
  leaseToken: 7,
}

/** What arrives on the other side of a thread's boundary, where keys and policies are known. */
function acrossThreads(sent: Delivery, large = false): [delivery: Delivery, large: boolean] {
  const { policy, source } = sent.path
  return deliveryOf(structuredClone(flatDelivery(1, sent, large)), {
    keys: new Map(sent.signing.map((key) => [key.id, key])),
    policies: new Map([[policy.id, { policy, source }]]),
  })
}

function arrives(sent: Delivery): void {
  assert.deepEqual(acrossThreads(sent), [sent, false])
}

test('the servers of a site arrive as long as they are valid', () => {
  const ranks = [['mx1.test', 'mx2.test'], ['mx3.test']]
  const failure = { finding: 'dead-address', enhancedCode: '5.1.2', message: 'No such domain' } as const
  const until = monotonic() + 60_000
  const crossed = (servers: MailServers) => {
    const path = { ...delivery.path, site: { kind: 'direct' as const, servers } }
    return acrossThreads({ ...delivery, path })[0].path.site.servers
  }
  const secure = { kind: 'hosts', ranks, secure: true } as const
  for (const hosts of [{ kind: 'hosts', ranks } as const, secure, { kind: 'none', failure } as const]) {
    assert.deepEqual(crossed({ hosts, until }), { hosts, until })
    assert.equal(crossed({ hosts, until: monotonic() - 1 }), null)
  }
})

test('the terms of a site arrive with each delivery', () => {
  const replies = [{ pattern: 'come back', finding: 'busy' as const }]
  const terms = {
    messagesPerSession: 7,
    recipientsPerTransaction: 3,
    tls: 'verified' as const,
    envelopeBehindDot: false,
    size: 25_000_000,
    replies,
  }
  arrives({ ...delivery, path: { ...delivery.path, terms } })
})

test('the MTA-STS policy of the domain arrives, even when its servers are no longer valid', () => {
  const mtaSts = { mode: 'enforce', mx: ['*.x.test'], expiresAt: 1_900_000_000_000 } as const
  const servers = { hosts: { kind: 'hosts', ranks: [['mx.x.test']] } as const, until: monotonic() - 1 }
  const site = { kind: 'direct', servers, mtaSts: { ...mtaSts, mx: [...mtaSts.mx] } } as const
  const sent = { ...delivery, path: { ...delivery.path, site } } as unknown as Delivery
  assert.deepEqual(acrossThreads(sent)[0].path.site, { kind: 'direct', servers: null, mtaSts })
})

test('a delivery arrives as it was sent: ready messages, parts with and without text, files', () => {
  arrives(delivery)
  const addressee = { address: 'x@x.test', name: 'X', variables: { one: '1' } }
  const copy: Delivery = { ...delivery, message: { kind: 'raw', raw: Uint8Array.of(1), date: 1, addressee } }
  arrives(copy)
  const content = {
    from: 'a@acme.test',
    to: ['x@x.test', 'y@x.test'],
    cc: ['z@x.test'],
    replyTo: ['r@acme.test'],
    subject: 'Grüße',
    headers: [['X-One', '1']] as [string, string][],
    attachments: [
      {
        filename: 'a.bin',
        contentType: 'application/octet-stream',
        content: Uint8Array.of(1, 2),
        disposition: 'inline' as const,
        contentId: 'a',
      },
    ],
    messageId: '<1@acme.test>',
    date: 1_800_000_000_000,
  }
  for (const texts of [{}, { text: 'a' }, { html: '<p>a' }, { text: '', html: '' }]) {
    const parts: Delivery = { ...delivery, message: { kind: 'parts', content: { ...content, ...texts } } }
    arrives(parts)
    const filled: Delivery = { ...parts, message: { kind: 'parts', content, addressee } }
    arrives(filled)
  }
  const email = { ...delivery.email, testMode: false }
  arrives({ ...delivery, email, preferredServer: null, preferredOnly: false })
})

test('a large message stays behind, and the rest of its delivery arrives', () => {
  const [{ message, ...rest }, large] = acrossThreads(delivery, true)
  assert.equal(large, true)
  assert.ok(message.kind === 'raw' && message.raw.length === 0)
  const { message: _, ...sent } = delivery
  assert.deepEqual(rest, sent)
  assert.deepEqual(flatDelivery(1, delivery, true).slice(3, 6), [null, null, null])
})

test('a file that is a small part of a request arrives without the rest of the request', () => {
  const request = new Uint8Array(1_000_000).fill(7)
  const raw = request.subarray(100, 110)
  const [{ message }] = acrossThreads({
    ...delivery,
    message: { kind: 'raw', raw, date: 0, addressee: null },
  })
  assert.ok(message.kind === 'raw')
  assert.deepEqual(message.raw, Uint8Array.from(raw))
  assert.equal(message.raw.buffer.byteLength, 10)
})

test('a result arrives as it was sent, with and without its optional fields', () => {
  const result: DeliveryResult = {
    outcomes: [
      { position: 3, verdict: 'bounced', message: 'no', code: 550, enhancedCode: '5.1.1', suppress: true },
      { position: 5, verdict: 'delivered', message: 'yes', complained: true },
      { position: 6, verdict: 'deferred', message: 'later', server: 'mx2.x.test' },
    ],
    server: 'mx.x.test [192.0.2.1]:25',
    dialogue: '0 > MAIL\n1 < 250',
    startedAt: 1_800_000_000_000,
    duration: 12,
    tls: {
      ...{ version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', demand: 'required', source: 'dane' },
      ...{ verified: false, doubt: 'No usable record' },
    },
    captured: Uint8Array.of(4, 5),
    died: 'memory',
    pathTrouble: { kind: 'path', met: 'session', message: 'no' },
    notBefore: 1_800_000_000_001,
    noWayOut: true,
    handedOver: true,
  }
  const { outcomes, dialogue, startedAt, duration } = result
  const bare: DeliveryResult = { outcomes, dialogue, startedAt, duration, server: null, tls: null }
  for (const sent of [result, bare]) {
    assert.deepEqual(resultOf(structuredClone(flatResult(1, sent))), sent)
  }
})
