/** The stage for the client tests: a relay that is not ours, the service before it over HTTP and over HTTPS, and what must arrive. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { selfSigned } from '../../harness/certificate.ts'
import type { Tenant } from '../../harness/service/tenant.ts'
import { verifyDkim } from '../../harness/verify-dkim.ts'
import { Installation } from '../support/installation.ts'
import { FILES, HTML, TEXT } from './material.ts'
import type { Outcome } from './program.ts'
import { type Arrival, type Relay, startRelay } from './relay.ts'
import { runClient } from './run-client.ts'

export const SCHEMES = ['http', 'https'] as const

export class Stage {
  readonly relay: Relay
  readonly tenant: Tenant
  readonly #started: AsyncDisposableStack
  readonly #url: string
  readonly #trust: string | undefined

  private constructor(
    relay: Relay,
    tenant: Tenant,
    started: AsyncDisposableStack,
    url: string,
    trust: string | undefined,
  ) {
    this.relay = relay
    this.tenant = tenant
    this.#started = started
    this.#url = url
    this.#trust = trust
  }

  static async set(scheme: (typeof SCHEMES)[number]): Promise<Stage> {
    await using started = new AsyncDisposableStack()
    const relay = await startRelay()
    started.defer(() => relay.close())
    const installation = started.use(
      new Installation({ POSTROAD_DELIVERY: `smtp://127.0.0.1:${relay.port}?tls=off` }),
    )
    const tenant = await installation.addTenant('acme.test')
    if (scheme === 'http') {
      const { url } = await installation.serve()
      return new Stage(relay, tenant, started.move(), url, undefined)
    }
    const { cert, key } = selfSigned(['localhost', '127.0.0.1'])
    const certPath = join(installation.directory, 'cert.pem')
    const keyPath = join(installation.directory, 'key.pem')
    writeFileSync(certPath, cert)
    writeFileSync(keyPath, key, { mode: 0o600 })
    const { url } = await installation.serve({
      settings: { POSTROAD_TLS_CERT: certPath, POSTROAD_TLS_KEY: keyPath },
    })

    return new Stage(relay, tenant, started.move(), url, certPath)
  }

  run(program: string): Promise<Record<string, Outcome>> {
    const { token, domain } = this.tenant
    const trust = this.#trust === undefined ? {} : { trust: this.#trust }
    return runClient({ program, url: this.#url, token, domain, ...trust })
  }

  /** The one message for `recipient`, with a valid signature of the sending domain. */
  async arrived(recipient: string): Promise<Arrival> {
    const arrivals = await this.relay.for(recipient)
    assert.equal(arrivals.length, 1, `${recipient} got ${arrivals.length} messages`)
    const arrival = arrivals[0]!
    const { pass, signatures } = await verifyDkim(arrival.raw, this.tenant.keys)
    assert.ok(pass, `DKIM of the message to ${recipient}: ${JSON.stringify(signatures)}`)
    assert.ok(signatures.some(({ domain }) => domain === this.tenant.domain))
    return arrival
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync()
  }
}

/** Line ends and the very end of a text are the transport's (RFC 5322 2.3); everything else must be the sender's. */
function plain(text: string | undefined): string {
  return (text ?? '').replace(/\r\n/g, '\n').trimEnd()
}

function digest(content: string | ArrayBuffer | Uint8Array): string {
  const octets = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer)
  return createHash('sha256').update(octets).digest('hex')
}

const SENDER = { name: 'Acme Shop', address: 'shop@acme.test' }

export function assertText({ parsed }: Arrival, subject: string): void {
  assert.equal(parsed.subject, subject)
  assert.equal(plain(parsed.text), plain(TEXT))
  assert.equal(parsed.html, undefined)
  assert.equal(parsed.from?.name, SENDER.name)
  assert.equal(parsed.from?.address, SENDER.address)
}

export function assertHtml({ parsed }: Arrival, subject: string): void {
  assert.equal(parsed.subject, subject)
  assert.equal(plain(parsed.html), plain(HTML))
}

export function assertFiles({ parsed }: Arrival, files: (keyof typeof FILES)[] = ['report', 'notes']): void {
  const got = parsed.attachments.map(({ filename, mimeType, content, disposition }) => ({
    filename,
    mimeType,
    disposition,
    digest: digest(content),
  }))
  const expected = files.map((name) => ({
    filename: FILES[name].filename,
    mimeType: FILES[name].contentType,
    disposition: 'attachment',
    digest: digest(FILES[name].content),
  }))
  assert.deepEqual(got, expected)
}

export function assertInline({ parsed, raw }: Arrival, contentId: string): void {
  assert.equal(parsed.attachments.length, 1)
  const [image] = parsed.attachments
  assert.equal(image!.contentId, `<${contentId}>`)
  assert.equal(image!.mimeType, 'image/png')
  assert.equal(digest(image!.content), digest(FILES.logo.content))
  assert.match(raw.toString('latin1'), /content-type: multipart\/related/i)
  assert.ok(parsed.html?.includes(`cid:${contentId}`))
}

/** `headers`: the client passed custom headers on. */
export function assertEverybody(
  arrival: Arrival,
  { subject, headers }: { subject: string; headers: boolean },
): void {
  const { parsed, raw, recipients } = arrival
  assert.deepEqual([...recipients].sort(), ['bee@in.test', 'bob@in.test', 'cee@in.test', 'jane@in.test'])
  assert.equal(parsed.subject, subject)
  assert.deepEqual(
    parsed.to?.map(({ address }) => address),
    ['jane@in.test', 'bob@in.test'],
  )
  assert.deepEqual(
    parsed.cc?.map(({ name, address }) => [name, address]),
    [['Cee', 'cee@in.test']],
  )
  assert.deepEqual(
    parsed.replyTo?.map(({ address }) => address),
    ['replies@acme.test'],
  )
  assert.ok(!raw.includes('bee@in.test'), 'a blind recipient shows in the message')
  assert.equal(plain(parsed.text), plain(TEXT))
  assert.equal(plain(parsed.html), plain(HTML))
  if (!headers) return
  const value = (name: string) => parsed.headers.find(({ key }) => key === name)?.value
  assert.equal(value('x-order'), '4711')
  assert.equal(value('list-unsubscribe'), '<https://acme.test/u/1>')
}
