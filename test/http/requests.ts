/** Requests of both dialects for these tests, down to single octets where it matters. */
import assert from 'node:assert/strict'
import net from 'node:net'
import type { Service } from '../support/service.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The body where it is JSON, else an empty object. */
  body: Record<string, unknown>
}

export interface Part {
  name: string
  value: string | Uint8Array
  /** Makes it a file part. */
  filename?: string
  type?: string
  /** The whole Content-Disposition instead of one made from name and filename. */
  disposition?: string
}

/** Calls with one API key. */
export class Api {
  readonly url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.url = url
    this.token = token
  }

  /** `POST /emails` with the Bearer key; objects are sent as JSON, text and octets as they are. */
  send(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    return call(`${this.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: bytes as string,
    })
  }

  /** The id of an email that has to be accepted. */
  async accepted(body: object): Promise<string> {
    const reply = await this.send(body)
    assert.equal(reply.status, 200, reply.text)
    return String(reply.body.id)
  }

  get(path: string): Promise<Reply> {
    return call(`${this.url}${path}`, { headers: { authorization: `Bearer ${this.token}` } })
  }

  /** `POST /v3/{domain}/messages`, urlencoded. */
  form(domain: string, fields: [string, string][], path = 'messages'): Promise<Reply> {
    return call(`${this.url}/v3/${domain}/${path}`, {
      method: 'POST',
      headers: { authorization: basic(this.token) },
      body: new URLSearchParams(fields),
    })
  }

  /** `POST /v3/{domain}/messages`, multipart. */
  multipart(domain: string, parts: Part[], path = 'messages'): Promise<Reply> {
    return call(`${this.url}/v3/${domain}/${path}`, {
      method: 'POST',
      headers: { authorization: basic(this.token), 'content-type': 'multipart/form-data; boundary=--x' },
      body: multipartBody(parts),
    })
  }
}

export function basic(token: string, user = 'api'): string {
  return `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
}

export async function call(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init)
  const text = await response.text()
  const json = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}

/** The octets of a multipart form with the boundary `--x`. */
export function multipartBody(parts: Part[]): Buffer<ArrayBuffer> {
  const chunks: Uint8Array[] = []
  for (const { name, value, filename, type, disposition } of parts) {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const head = `----x\r\nContent-Disposition: ${disposition ?? `form-data; name="${name}"${file}`}\r\n`
    chunks.push(Buffer.from(`${head}${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`))
    chunks.push(Buffer.from(value), Buffer.from('\r\n'))
  }
  // No line end behind the last boundary: some clients leave it out.
  chunks.push(Buffer.from('----x--'))
  return Buffer.concat(chunks)
}

/** An error of the JSON dialect: exactly its three keys, and a status that is the same twice. */
export function assertJsonError(reply: Reply, status: number, name: string, message?: string | RegExp): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(Object.keys(reply.body).sort(), ['message', 'name', 'statusCode'])
  assert.equal(reply.body.statusCode, status)
  assert.equal(reply.body.name, name)
  assertMessage(reply, message)
}

/** An error of the form dialect: a JSON object with a message alone. */
export function assertFormError(reply: Reply, status: number, message?: string | RegExp): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(Object.keys(reply.body), ['message'])
  assertMessage(reply, message)
}

function assertMessage(reply: Reply, expected: string | RegExp | undefined): void {
  const message = reply.body.message
  assert.ok(typeof message === 'string' && message !== '')
  if (typeof expected === 'string') assert.equal(message, expected)
  else if (expected !== undefined) assert.match(message, expected)
}

/** Longest wait for an event that has to come, in ms: a test without it would not say what it waits for. */
const PATIENCE = 30_000

/** `promise`, or a failure that names what did not come. */
export async function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`waited ${PATIENCE} ms for ${what}`)), PATIENCE)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A connection that is written to by hand. */
export class RawConnection {
  readonly socket: net.Socket
  readonly #ended: Promise<void>
  #received = Buffer.alloc(0)

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.socket = net.connect(Number(port), hostname)
    this.socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.socket.emit('more')
    })
    // A reset after the answer does not matter to a test; the received octets do.
    this.socket.on('error', () => {})
    this.#ended = new Promise((resolve) => this.socket.on('close', () => resolve()))
  }

  get received(): string {
    return this.#received.toString('latin1')
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Everything up to the end of the connection. */
  async closed(): Promise<string> {
    await inTime(this.#ended, 'the end of the connection')
    return this.received
  }

  /** Waits until the received octets match. Fails when the connection ends first. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) {
      if (this.socket.closed) assert.fail(`closed before ${pattern}: ${this.received}`)
      const more = new Promise<void>((resolve) => this.socket.once('more', resolve))
      await inTime(Promise.race([more, this.#ended]), String(pattern))
    }
    return this.received
  }
}

/** The newest email of a company: the form dialect does not return its id. */
export async function newestEmail(service: Service, companyId: string): Promise<string> {
  const [email] = await service.store.listEmails({ companyId, limit: 1 })
  assert.ok(email, 'no email was accepted')
  return email.id
}

/** How many emails a company has: refused requests must leave none. */
export async function emailCount(service: Service, companyId: string): Promise<number> {
  return (await service.store.listEmails({ companyId, limit: 1000 })).length
}
