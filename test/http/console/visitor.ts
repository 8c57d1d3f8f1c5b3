/** A person who has signed in to the console of a running service, and calls its API as the page does. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { beginSession, SESSION_MS } from '../../../src/operate/sessions.ts'
import { type Membership, newPerson, type Person } from '../../../src/people/person.ts'
import type { Service } from '../../support/service.ts'
import { call, type Reply } from '../requests.ts'

export class Visitor {
  readonly person: Person
  /** Of its session, as a browser keeps it. */
  readonly cookie: string
  readonly #service: Pick<Service, 'store' | 'url'>

  constructor(service: Pick<Service, 'store' | 'url'>, person: Person, cookie: string) {
    this.#service = service
    this.person = person
    this.cookie = cookie
  }

  /** An operator, or a member of companies. */
  static async signIn(
    service: Pick<Service, 'store' | 'url'>,
    of: 'operator' | Membership[],
  ): Promise<Visitor> {
    const person = newPerson(Date.now(), {
      ...{ address: `${randomUUIDv7()}@people.test`, name: 'Ann', operator: of === 'operator' },
      memberships: of === 'operator' ? [] : of,
    })
    await service.store.addPerson(person)
    const from = { address: '127.0.0.1', userAgent: 'test', now: Date.now(), lifetime: SESSION_MS }
    const { token } = await beginSession(service.store, person, 'link', from)
    return new Visitor(service, person, cookieOf(token))
  }

  /** `path` behind `/console/api`. */
  ask(method: string, path: string, body?: object): Promise<Reply> {
    return call(`${this.#service.url}/console/api${path}`, {
      method,
      headers: {
        cookie: this.cookie,
        'x-postroad-console': '1',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  /** Id of one more session of this person. */
  async anotherSession(): Promise<string> {
    const from = { address: '127.0.0.1', userAgent: 'test', now: Date.now(), lifetime: SESSION_MS }
    return (await beginSession(this.#service.store, this.person, 'link', from)).session.id
  }

  /** The cookie of a session that has ended. */
  async endedSession(): Promise<string> {
    const from = {
      address: '127.0.0.1',
      userAgent: 'test',
      now: Date.now() - SESSION_MS - 1,
      lifetime: SESSION_MS,
    }
    const { token } = await beginSession(this.#service.store, this.person, 'link', from)
    return cookieOf(token)
  }
}

/** By its name without TLS and by that over TLS: the public URL of the service decides which one counts. */
function cookieOf(token: string): string {
  return `postroad_session=${token}; __Host-postroad_session=${token}`
}

/** The body of an answer, whose status must be this one. */
export function ok<Body>(reply: Reply, status = 200): Body {
  assert.equal(reply.status, status, reply.text)
  return reply.body as Body
}

export function refused(reply: Reply, status: number, code: string, message?: RegExp): void {
  const { error } = ok<{ error: { code: string; message: string } }>(reply, status)
  assert.equal(error.code, code)
  if (message) assert.match(error.message, message)
}
