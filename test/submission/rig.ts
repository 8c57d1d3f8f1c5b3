/** A service that takes mail over SMTP, and clients of it, down to single octets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { type Certificate, selfSigned } from '../../harness/certificate.ts'
import type { Settings, SmtpListener } from '../../src/config/settings.ts'
import type { StoredEmail } from '../../src/email/stored-email.ts'
import { type Service, startService, type TestKey } from '../support/service.ts'

const ON_LOOPBACK = { host: '127.0.0.1', port: 0 }
/** As the network in between sees it: those on the same machine have no more right than others. */
export const STARTTLS: SmtpListener = {
  ...ON_LOOPBACK,
  implicitTls: false,
  clearLogin: false,
  proxied: false,
  withoutLogin: false,
  optional: false,
}
export const IMPLICIT: SmtpListener = {
  ...ON_LOOPBACK,
  implicitTls: true,
  clearLogin: false,
  proxied: false,
  withoutLogin: false,
  optional: false,
}

export const DOMAIN = 'acme.example'

/** With both kinds of listener, STARTTLS first, and one tenant. */
export class SubmissionRig implements AsyncDisposable {
  readonly service: Service
  readonly key: TestKey
  readonly companyId: string
  readonly certificate: Certificate
  readonly directory: string

  constructor(
    service: Service,
    { key, companyId }: { key: TestKey; companyId: string },
    { certificate, directory }: { certificate: Certificate; directory: string },
  ) {
    this.service = service
    this.key = key
    this.companyId = companyId
    this.certificate = certificate
    this.directory = directory
  }

  get port(): number {
    return portOf(this.service.app.submission.urls[0]!)
  }

  get implicitPort(): number {
    return portOf(this.service.app.submission.urls[1]!)
  }

  /** A client that was greeted. */
  async connect(): Promise<SmtpClient> {
    const client = new SmtpClient(net.connect(this.port, '127.0.0.1'))
    assert.match(await client.reply(), /^220 /)
    return client
  }

  /** One that is logged in, in the clear. */
  async loggedIn(token = this.key.token, user = 'resend'): Promise<SmtpClient> {
    const client = await this.connect()
    await client.say('EHLO client.test', /^250-/)
    await client.say(`AUTH PLAIN ${base64(`\0${user}\0${token}`)}`, /^235 2\.7\.0 /)
    return client
  }

  /** The email of a reply to the final dot. */
  async email(reply: string): Promise<StoredEmail> {
    const [, id] = /^250 2\.0\.0 Queued as ([0-9a-f-]{36})\r\n$/.exec(reply) ?? assert.fail(reply)
    return (await this.service.store.readEmail(id!)) ?? assert.fail('the email is not in the store')
  }

  /** What leaves for the first recipient. */
  async captured(id: string): Promise<Buffer> {
    for (;;) {
      const [first] = await this.service.store.readCaptured(id)
      if (first !== undefined) return Buffer.from(first.raw)
    }
  }

  /** How many emails there are. */
  async count(): Promise<number> {
    return (await this.service.store.listEmails({ companyId: this.companyId, limit: 1000 })).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

export async function startRig(settings: Partial<Settings> = {}): Promise<SubmissionRig> {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-submission-'))
  const certificate = selfSigned(['localhost', '127.0.0.1'])
  const paths = { certPath: join(directory, 'cert.pem'), keyPath: join(directory, 'key.pem') }
  writeFileSync(paths.certPath, certificate.cert)
  writeFileSync(paths.keyPath, certificate.key)
  const service = await startService({ submission: [STARTTLS, IMPLICIT], tls: paths, ...settings })
  const { key, company } = await service.tenant(DOMAIN)
  return new SubmissionRig(service, { key, companyId: company.id }, { certificate, directory })
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

const PATIENCE = 20_000

/** A client that sends the given octets, one by one if need be. */
export class SmtpClient {
  socket: net.Socket
  received = ''
  closed = false

  constructor(socket: net.Socket) {
    this.socket = socket
    this.#attach(socket)
  }

  #attach(socket: net.Socket): void {
    this.socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      this.received += text
      socket.emit('more')
    })
    const end = () => {
      this.closed = true
      socket.emit('more')
    }
    socket.on('error', end)
    socket.on('close', end)
  }

  write(octets: string | Uint8Array): void {
    this.socket.write(octets)
  }

  /** The next whole reply, its lines with their ends. Fails when the connection ends first. */
  async reply(): Promise<string> {
    const deadline = AbortSignal.timeout(PATIENCE)
    for (;;) {
      const match = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/.exec(this.received)
      if (match !== null) {
        this.received = this.received.slice(match[0].length)
        return match[0]
      }
      assert.ok(!this.closed, `the connection ended after ${JSON.stringify(this.received)}`)
      await once(this.socket, 'more', { signal: deadline })
    }
  }

  /** Sends a line, gives its reply, which has to be like this. */
  async say(line: string, like?: RegExp): Promise<string> {
    this.write(`${line}\r\n`)
    const reply = await this.reply()
    if (like !== undefined) assert.match(reply, like, line)
    return reply
  }

  /** A whole transaction; gives the reply to the final dot. `message` as it goes over the wire, without the dot. */
  async send(
    message: string | Uint8Array,
    recipients = ['b@x.test'],
    sender = `a@${DOMAIN}`,
  ): Promise<string> {
    await this.say(`MAIL FROM:<${sender}>`, /^250 2\.1\.0 /)
    for (const recipient of recipients) await this.say(`RCPT TO:<${recipient}>`, /^250 2\.1\.5 /)
    await this.say('DATA', /^354 /)
    this.write(message)
    return await this.say('.')
  }

  /** TLS from here on. */
  async encrypt(): Promise<void> {
    this.socket.removeAllListeners('data')
    this.socket.removeAllListeners('close')
    const secure = tls.connect({ socket: this.socket, rejectUnauthorized: false })
    await once(secure, 'secureConnect')
    this.received = ''
    this.#attach(secure)
  }

  /** Resolves when the server has ended the connection. */
  async ended(): Promise<void> {
    const deadline = AbortSignal.timeout(PATIENCE)
    while (!this.closed) await once(this.socket, 'more', { signal: deadline })
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** A small message from the tenant, with CRLF. */
export function message(text = 'Hello\r\n', header = ''): string {
  return `From: Ann <a@${DOMAIN}>\r\nTo: b@x.test\r\nSubject: Hi\r\n${header}\r\n${text}`
}
