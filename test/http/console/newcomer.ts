/** A browser of the console: it keeps cookies, and sends the requests of the page. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { parseSetCookie, type SetCookie } from 'cookie'
import { makeLink } from '../../../src/operate/sessions.ts'
import { type Person, newPerson as personWith } from '../../../src/people/person.ts'
import type { Service } from '../../support/service.ts'
import { call, type Reply } from '../requests.ts'

export class Newcomer {
  /** By name, as they were set last. */
  readonly cookies = new Map<string, SetCookie>()
  readonly #url: string
  readonly #headers: Record<string, string>

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url
    this.#headers = { 'x-postroad-console': '1', ...headers }
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const cookie = [...this.cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; ')
    const reply = await call(`${this.#url}/console/api${path}`, {
      method,
      headers: {
        ...this.#headers,
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const header of reply.headers.getSetCookie()) {
      const set = parseSetCookie(header)
      assert.ok(set)
      if (set.maxAge === 0) this.cookies.delete(set.name)
      else this.cookies.set(set.name, set)
    }
    return reply
  }

  get = (path: string) => this.ask('GET', path)
  post = (path: string, body: unknown = {}) => this.ask('POST', path, body)

  /** Signs in by a link, as at the first start; a session of another person in this browser ends. */
  async enter(service: Service, person: Person): Promise<this> {
    const token = await makeLink(service.store, person.id, Date.now())
    assertSaid(await this.post('/session/link', { token, instead: true }), 200)
    return this
  }

  signIn(address: string, password: string): Promise<Reply> {
    return this.post('/session/password', { address, password })
  }
}

/** A person in the store who has not signed in. */
export async function newPerson(service: Service, change: Partial<Person> = {}): Promise<Person> {
  const id = randomUUIDv7()
  const person = personWith(Date.now(), { id, address: `${id}@people.test`, name: 'Ada', ...change })
  await service.store.addPerson(person)
  return person
}

/** Fails with the answer if the status is another. */
export function assertSaid(reply: Reply, status: number, code?: string): void {
  assert.equal(reply.status, status, reply.text)
  if (code !== undefined) assert.equal((reply.body.error as { code: string }).code, code, reply.text)
}
