/** Requests to the two endpoints as written by hand: the request and its answer, nothing hidden. */
import { setTimeout as pause } from 'node:timers/promises'

export interface ApiAnswer {
  status: number
  headers: Headers
  /** Parsed when it is JSON. */
  body: Record<string, unknown>
  text: string
}

/** Longest wait for a state that has to come, in ms. */
const PATIENCE = 30_000

export class ApiClient {
  readonly url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.url = url
    this.token = token
  }

  /** POST /emails */
  send(email: object, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.#call('POST', '/emails', JSON.stringify(email), {
      'Content-Type': 'application/json',
      ...headers,
    })
  }

  /** POST /emails that has to be accepted; the id. */
  async accepted(email: object): Promise<string> {
    const { status, body, text } = await this.send(email)
    if (status !== 200) throw new Error(`not accepted: ${status} ${text}`)
    return String(body.id)
  }

  /** POST /emails/batch that has to be accepted; the ids. */
  async acceptedBatch(emails: readonly object[]): Promise<string[]> {
    const { status, body, text } = await this.#call('POST', '/emails/batch', JSON.stringify(emails), {
      'Content-Type': 'application/json',
    })
    if (status !== 200) throw new Error(`not accepted: ${status} ${text}`)
    return (body.data as { id: string }[]).map(({ id }) => id)
  }

  /** Resolves when the service knows this key: one made beside a running service counts within a second. */
  async known(): Promise<void> {
    const deadline = Date.now() + PATIENCE
    while ((await this.read('none')).status === 401) {
      if (Date.now() > deadline) throw new Error('the service does not come to know the key')
      await pause(20)
    }
  }

  /** POST /v3/{domain}/messages, or another path below the domain. */
  sendForm(domain: string, fields: [string, string | File][], path = 'messages'): Promise<ApiAnswer> {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    const authorization = `Basic ${Buffer.from(`api:${this.token}`).toString('base64')}`
    return this.#call('POST', `/v3/${domain}/${path}`, form, { Authorization: authorization })
  }

  /** GET /emails/{id} */
  read(id: string): Promise<ApiAnswer> {
    return this.#call('GET', `/emails/${id}`)
  }

  post(path: string): Promise<ApiAnswer> {
    return this.#call('POST', path)
  }

  /** Reads until `last_event` is one of these; fails after 30 s with the last one seen. */
  async lastEvent(id: string, ...wanted: string[]): Promise<string> {
    const deadline = Date.now() + PATIENCE
    for (;;) {
      const { body } = await this.read(id)
      const seen = String(body.last_event)
      if (wanted.includes(seen)) return seen
      if (Date.now() > deadline) throw new Error(`last_event of ${id} is ${seen}, not ${wanted.join(' or ')}`)
      await pause(20)
    }
  }

  async #call(
    method: string,
    path: string,
    body?: string | FormData,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const json = (response.headers.get('content-type') ?? '').startsWith('application/json')
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : {}, text }
  }
}
