/** A service whose company has as much data as the limits allow, for the routes that list, read, search and count. */
import assert from 'node:assert/strict'
import { Insiders } from '../../../harness/service/insiders.ts'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import type { Tenant } from '../../../harness/service/tenant.ts'
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
  /** Cookies of an operator who is an owner of the company, and of a person whose sessions may end. */
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
  /** The query of a link that shows it. */
  sharedQuery: string
}

/** `child`: of the installation, where the company of `tenant` has nothing yet. */
export async function fill(installation: Installation, child: ServiceChild, tenant: Tenant): Promise<Filled> {
  await using insiders = await Insiders.of(await installation.databaseUrl(), tenant.companyId)
  return await new Filling(child, tenant, insiders, await insiders.addKey()).done()
}

class Filling {
  readonly #child: ServiceChild
  readonly #tenant: Tenant
  readonly #insiders: Insiders
  readonly #token: string

  constructor(child: ServiceChild, tenant: Tenant, insiders: Insiders, token: string) {
    this.#child = child
    this.#tenant = tenant
    this.#insiders = insiders
    this.#token = token
  }

  async done(): Promise<Filled> {
    const { companyId } = this.#tenant
    const insiders = this.#insiders
    const operator = await insiders.signIn('owner', { operator: true })
    const spare = await insiders.signIn('owner')
    const people = await Promise.all(Array.from({ length: 30 }, () => insiders.addPerson('owner')))
    const emails = await this.#emails()
    const domains: string[] = []
    for (let index = 0; index < 8; index++)
      domains.push(await this.#made('/domains', { name: `d${index}.example` }))
    const webhooks: string[] = []
    for (let index = 0; index < 15; index++) {
      const endpoint = `https://hook${index}.example/${'x'.repeat(200)}`
      webhooks.push(await this.#made('/webhooks', { endpoint, events: ['email.sent', 'email.delivered'] }))
    }
    const keys = await Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        this.#made('/api-keys', { name: `key ${index} ${'k'.repeat(150)}` }),
      ),
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
      token: this.#token,
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
      sharedQuery: await this.#shared(emails.large),
    }
  }

  async #shared(id: string): Promise<string> {
    const { text, body } = await call(`${this.#child.url}/emails/${id}/share`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    assert.ok(body.url, text)
    return new URL(String(body.url)).search
  }

  async #emails(): Promise<Pick<Filled['ids'], 'large' | 'wide' | 'files' | 'scheduled'>> {
    const mail = { from: `a@${DOMAIN}`, to: 'b@sink.example', subject: 's'.repeat(900), text: 't' }
    const html = '<p>A line of <a href="https://example.com/?a=b&amp;c=d">HTML</a>, as it is written.</p>\n'
    const large = await this.#made('/emails', { ...mail, html: html.repeat(Math.ceil(HTML / html.length)) })
    const to = Array.from(
      { length: 1_000 },
      (_, index) => `"Recipient ${index}" <r${index}@d${index % 300}.example>`,
    )
    const headers = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`X-H-${index}`, 'v'.repeat(300)]),
    )
    const wide = await this.#made('/emails', { ...mail, to, headers })
    const content = Buffer.alloc(1_000, 'a').toString('base64')
    const attachments = Array.from({ length: 200 }, (_, index) => ({
      filename: `file ${index}.txt`,
      content,
    }))
    const files = await this.#made('/emails', { ...mail, attachments })
    const at = new Date(Date.now() + 86_400_000).toISOString()
    const scheduled = await this.#made('/emails', { ...mail, to, scheduled_at: at })
    for (let batch = 0; batch < 4; batch++) {
      const emails = Array.from({ length: 100 }, (_, index) => {
        // What is named `tag` is one to the form dialect.
        const tags = Array.from({ length: 20 }, (_, tag) => ({
          name: tag === 0 ? 'tag' : `tag${tag}`,
          value: `value${batch}-${index}`,
        }))
        return { ...mail, to: `u${index}@d${index}.example`, tags }
      })
      await this.#ask('POST', '/emails/batch', emails)
    }
    return { large, wide, files, scheduled }
  }

  async #suppressions(): Promise<void> {
    for (let batch = 0; batch < 20; batch++) {
      const emails = Array.from(
        { length: 100 },
        (_, index) => `s${batch}-${index}@${'long'.repeat(10)}.example`,
      )
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
    const authorization = `Bearer ${this.#token}`
    const reply = await call(`${this.#child.url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }
}
