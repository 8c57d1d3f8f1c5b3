/**
 * The console as people use it: an installation in capture mode for each file of tests, the page as it is built, and the
 * browser of the process, with a context for each test:
 *
 *     describe('keys', { skip: withoutBrowser() }, () => {
 *       let stage: Stage
 *       before(async () => { stage = await Stage.open() })
 *       after(() => stage?.close())
 *       test('...', async (t) => {
 *         const { page } = await stage.visit(t, `/c/${stage.company.id}/keys`)
 */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Company, SCOPES } from '../../src/accounts/account.ts'
import type { Settings } from '../../src/config/settings.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { beginSession, makeLink, SESSION_MS } from '../../src/operate/sessions.ts'
import { invite } from '../../src/operate/team.ts'
import { newPerson, type Person, type Role } from '../../src/people/person.ts'
import { sharedBrowser } from '../support/browser.ts'
import { builtConsole } from '../support/built-console.ts'
import { type Service, startService } from '../support/service.ts'
import { closeTabs, type TabOptions } from './tab.ts'
import { Visit } from './visit.ts'

export interface SignedInOptions extends TabOptions {
  /** The person who looks at the page: the operator by default; null: no person has signed in. */
  as?: Person | null
}

export class Stage implements AsyncDisposable {
  readonly service: Service
  readonly browser: Browser
  readonly operator: Person
  readonly company: Company
  /** Its domain, which may send. */
  readonly domain: string
  /** A key of it that may do everything. */
  readonly key: string

  /** Builds the page where that was not done. `overrides`: settings of the service; `began`: when the company was added. */
  static async open(overrides: Partial<Settings> = {}, began = Date.now()): Promise<Stage> {
    const [service] = await Promise.all([startService(overrides), builtConsole()])
    try {
      const tenant = await firstTenant(service, began)
      const operator = await addPerson(service, { operator: true })
      return new Stage(service, await sharedBrowser(), operator, tenant)
    } catch (error) {
      await service.close()
      throw error
    }
  }

  private constructor(
    service: Service,
    browser: Browser,
    operator: Person,
    { company, domain, key }: Pick<Stage, 'company' | 'domain' | 'key'>,
  ) {
    this.service = service
    this.browser = browser
    this.operator = operator
    this.company = company
    this.domain = domain
    this.key = key
  }

  async close(): Promise<void> {
    await closeTabs(this.service.url)
    await this.service.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Somebody who belongs to companies, by their ids. */
  person(roles: Record<string, Role>): Promise<Person> {
    return addPerson(this.service, { roles })
  }

  /** A page of the console in a context of its own, e.g. `/c/ID/emails`. What it complains of fails the test. */
  async visit(t: TestContext, path: string, options: SignedInOptions = {}): Promise<Visit> {
    const { as = this.operator, ...rest } = options
    const visit = await Visit.begin(t, this.browser, this.service.url, rest)
    if (as !== null) await visit.context.addCookies([await this.sessionCookie(as)])
    await visit.page.goto(`${this.service.url}/console${path}`)
    return visit
  }

  /** The address that signs a person in, once. */
  async link({ id }: Person): Promise<string> {
    return `${this.service.url}/console/sign-in#token=${await makeLink(this.service.store, id, Date.now())}`
  }

  /** The address that an owner of a company passes on. */
  async invitation(address: string, companyId = this.company.id): Promise<string> {
    const { service } = this
    await service.app.refreshAccounts()
    const op = operationOn(service.settings, service.store, OPERATOR, await service.store.accounts())
    const { token } = await invite(op, { company: companyId, address, role: 'viewer' })
    return `${service.url}/console/sign-in#token=${token}`
  }

  /** The cookie of a browser in which this person has signed in. */
  async sessionCookie(person: Person) {
    const from = { address: '127.0.0.1', userAgent: 'test', now: Date.now(), lifetime: SESSION_MS }
    const { token } = await beginSession(this.service.store, person, 'link', from)
    const { hostname: domain } = new URL(this.service.url)
    const flags = { path: '/console', httpOnly: true, sameSite: 'Strict' } as const
    return { name: 'postroad_session', value: token, domain, ...flags }
  }

  /** Sends a message by the JSON API, from the company's domain; its id. What is not given is made up. */
  async send(message: Record<string, unknown> = {}): Promise<string> {
    const response = await fetch(`${this.service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: `Acme <hello@${this.domain}>`,
        to: 'you@example.test',
        subject: 'Hello',
        html: '<p>It <b>works</b>.</p>',
        ...message,
      }),
    })
    assert.equal(response.status, 200, await response.clone().text())
    return ((await response.json()) as { id: string }).id
  }
}

/** The company and domain that the first start makes up in capture mode, or the same where mail leaves. */
async function firstTenant(
  service: Service,
  began: number,
): Promise<Pick<Stage, 'company' | 'domain' | 'key'>> {
  const { companies, domains } = await service.store.accounts()
  const company = companies[0] ?? (await service.company('Acme', began))
  const { name: domain } = domains[0] ?? (await service.domain(company.id, 'acme.test'))
  const key = await service.key(company.id, { scopes: [...SCOPES] })
  return { company, domain, key: key.token }
}

async function addPerson(
  { store }: Service,
  { operator = false, roles = {} }: { operator?: boolean; roles?: Record<string, Role> },
): Promise<Person> {
  const id = randomUUIDv7()
  const memberships = Object.entries(roles).map(([companyId, role]) => ({ companyId, role }))
  const name = operator ? 'Olga Operator' : 'Mia Member'
  const person = newPerson(Date.now(), { id, address: `${id}@people.test`, name, operator, memberships })
  await store.addPerson(person)
  return person
}
