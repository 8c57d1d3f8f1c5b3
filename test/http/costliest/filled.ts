/** A service whose one company has as much as hurts: what routes list, read, search and count is there. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import type { Tenant } from '../../../harness/service/tenant.ts'
import { newToken } from '../../../src/accounts/token.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { beginSession } from '../../../src/operate/sessions.ts'
import { newPerson } from '../../../src/people/person.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Installation } from '../../support/installation.ts'
import { call } from '../requests.ts'

const DOMAIN = 'acme.example'
const MIB = 1024 * 1024
/** Octets of the HTML of the large email. */
const HTML = 24 * MIB

export interface Filled {
  url: string
  pid: number
  companyId: string
  domain: string
  /** Of a key that may send, read and manage. */
  token: string
  /** Of an operator who is an owner of the company, and of somebody whose sessions may end. */
  cookie: string
  spareCookie: string
  ids: {
    /** With 24 MB of HTML; with 1,000 recipients; with 200 files; one that is scheduled. */
    large: string
    wide: string
    files: string
    scheduled: string
    domain: string
    spareDomain: string
    key: string
    webhook: string
    suppression: string
    person: string
    attachment: string
  }
  spareDomainName: string
  /** Of the large email, as the form dialect names it. */
  storageKey: string
}

/** `child`: of the installation, where the company of `tenant` has nothing yet. */
export async function fill(installation: Installation, child: ServiceChild, tenant: Tenant): Promise<Filled> {
  const { database } = loadSettings(
    { POSTROAD_DATABASE_URL: await installation.databaseUrl() },
    { envFile: null },
  )
  const store = await openStore(database, { exclusive: false })
  try {
    return await new Filling(child, tenant, store).done()
  } finally {
    await store.close()
  }
}

class Filling {
  readonly #child: ServiceChild
  readonly #tenant: Tenant
  readonly #store: Store
  readonly #token = newToken()

  constructor(child: ServiceChild, tenant: Tenant, store: Store) {
    this.#child = child
    this.#tenant = tenant
    this.#store = store
  }

  async done(): Promise<Filled> {
    const { companyId } = this.#tenant
    await this.#addKey()
    const operator = await this.#session(true)
    const spare = await this.#session(false)
    const people = await Promise.all(Array.from({ length: 30 }, () => this.#person(false)))
    const emails = await this.#emails()
    const domains: string[] = []
    for (let index = 0; index < 8; index++) domains.push(await this.#made('/domains', { name: `d${index}.example` }))
    const webhooks: string[] = []
    for (let index = 0; index < 15; index++) {
      const endpoint = `https://hook${index}.example/${'x'.repeat(200)}`
      webhooks.push(await this.#made('/webhooks', { endpoint, events: ['email.sent', 'email.delivered'] }))
    }
    const keys = await Promise.all(
      Array.from({ length: 80 }, (_, index) => this.#made('/api-keys', { name: `key ${index} ${'k'.repeat(150)}` })),
    )
    await this.#suppressions()
    const [suppression] = (await this.#list('/suppressions?limit=1')) as [{ id: string }]
    const [attachment] = (await this.#list(`/emails/${emails.files}/attachments?limit=1`)) as [{ id: string }]
    const all = (await this.#list('/domains?limit=100')) as { id: string; name: string }[]
    const spareDomain = all.find(({ id }) => id === domains[0])!
    return {
      url: this.#child.url,
      pid: this.#child.pid,
      companyId,
      domain: DOMAIN,
      token: this.#token.token,
      cookie: operator,
      spareCookie: spare,
      ids: {
        ...emails,
        domain: all.find(({ name }) => name === DOMAIN)!.id,
        spareDomain: spareDomain.id,
        key: keys[0]!,
        webhook: webhooks[0]!,
        suppression: suppression.id,
        person: people[0]!,
        attachment: attachment.id,
      },
      spareDomainName: spareDomain.name,
      storageKey: emails.large,
    }
  }

  async #addKey(): Promise<void> {
    await this.#store.addKey({
      ...{ id: randomUUIDv7(), companyId: this.#tenant.companyId, name: 'all', tokenHash: this.#token.hash },
      ...{ scopes: ['sending', 'reading', 'management'], domainId: null, createdAt: Date.now() },
      ...{ networks: [], expiresAt: null, revokedAt: null },
    })
  }

  async #person(operator: boolean): Promise<string> {
    const memberships = [{ companyId: this.#tenant.companyId, role: 'owner' as const }]
    const person = newPerson(Date.now(), {
      ...{ address: `${randomUUIDv7()}@people.example`, name: 'n'.repeat(200), operator, memberships },
    })
    await this.#store.addPerson(person)
    return person.id
  }

  async #session(operator: boolean): Promise<string> {
    const person = await this.#store.findPerson({ id: await this.#person(operator) })
    const from = { address: '127.0.0.1', userAgent: 'test', now: Date.now() }
    return `postroad_session=${(await beginSession(this.#store, person!, 'link', from)).token}`
  }

  async #emails(): Promise<Pick<Filled['ids'], 'large' | 'wide' | 'files' | 'scheduled'>> {
    const mail = { from: `a@${DOMAIN}`, to: 'b@sink.example', subject: 's'.repeat(900), text: 't' }
    const html = '<p>A line of <a href="https://example.com/?a=b&amp;c=d">HTML</a>, as it is written.</p>\n'
    const large = await this.#made('/emails', { ...mail, html: html.repeat(Math.ceil(HTML / html.length)) })
    const to = Array.from({ length: 1_000 }, (_, index) => `"Recipient ${index}" <r${index}@d${index % 300}.example>`)
    const headers = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`X-H-${index}`, 'v'.repeat(300)]))
    const wide = await this.#made('/emails', { ...mail, to, headers })
    const content = Buffer.alloc(1_000, 'a').toString('base64')
    const attachments = Array.from({ length: 200 }, (_, index) => ({ filename: `file ${index}.txt`, content }))
    const files = await this.#made('/emails', { ...mail, attachments })
    const at = new Date(Date.now() + 86_400_000).toISOString()
    const scheduled = await this.#made('/emails', { ...mail, to, scheduled_at: at })
    for (let batch = 0; batch < 4; batch++) {
      const emails = Array.from({ length: 100 }, (_, index) => {
        const tags = Array.from({ length: 20 }, (_, tag) => ({ name: `tag${tag}`, value: `value${batch}-${index}` }))
        return { ...mail, to: `u${index}@d${index}.example`, tags }
      })
      await this.#ask('POST', '/emails/batch', emails)
    }
    return { large, wide, files, scheduled }
  }

  async #suppressions(): Promise<void> {
    for (let batch = 0; batch < 20; batch++) {
      const emails = Array.from({ length: 100 }, (_, index) => `s${batch}-${index}@${'long'.repeat(10)}.example`)
      await this.#ask('POST', '/suppressions/batch/add', { emails })
    }
  }

  async #made(path: string, body: object): Promise<string> {
    return String((await this.#ask('POST', path, body)).id)
  }

  async #list(path: string): Promise<object[]> {
    return (await this.#ask('GET', path)).data as object[]
  }

  async #ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const authorization = `Bearer ${this.#token.token}`
    const reply = await call(`${this.#child.url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }
}
