/**
 * What a key can do to what is not its own: every route there is, with the names and ids of another company's things, and
 * of another domain's of the same company where the key is for one domain.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type Company, SCOPES } from '../../src/accounts/account.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { addSuppressions } from '../../src/operate/suppressions.ts'
import { addWebhook } from '../../src/operate/webhooks.ts'
import { type Service, startService } from '../support/service.ts'
import { Api, basic, call, type Reply } from './requests.ts'

interface Documented {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>
}
const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Documented
const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const PUBLIC = ['/health', '/ready']
const SECRET = 'secretly'

/** Whom something is done to, with the ids of all it has. */
interface Owner {
  company: Company
  domain: string
  domainId: string
  ids: Record<string, string>
}

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.close())

async function owner(company: Company, name: string): Promise<Owner> {
  const domain = await service.domain(company.id, name)
  const key = await service.key(company.id, { domainId: domain.id })
  const api = new Api(service.url, key.token)
  const at = new Date(Date.now() + 86_400_000).toISOString()
  const file = { filename: `${SECRET}.txt`, content: Buffer.from(SECRET).toString('base64') }
  const email = await api.accepted({
    ...{ from: `${SECRET}@${name}`, to: `${SECRET}@x.test`, subject: SECRET, text: SECRET },
    ...{ scheduled_at: at, attachments: [file], tags: [{ name: 'tag', value: SECRET }] },
  })
  const accounts = await service.store.accounts()
  const op = operationOn(service.settings, service.store, OPERATOR, accounts, { seal: service.app.seal })
  const of = { company: company.id, domain: domain.id, url: `https://${SECRET}.test/hook` }
  const json = await addWebhook(op, of)
  await addWebhook(op, { ...of, dialect: 'form', events: ['delivered'] })
  const entries = [{ address: `${SECRET}@listed.test`, type: 'bounce' as const, reason: SECRET }]
  const [suppressed] = await addSuppressions(op, { company: company.id, entries, domainId: domain.id })
  const files = await call(`${service.url}/emails/${email}/attachments`, {
    headers: { authorization: `Bearer ${(await service.key(company.id)).token}` },
  })
  const [attachment] = files.body.data as { id: string }[]
  const ids = {
    ...{ email, webhook: json.webhook.id, key: key.id, domain: domain.id },
    ...{
      suppression: suppressed!.suppression.id,
      attachment: attachment!.id,
      selector: domain.dkim[0]!.selector,
    },
  }
  return { company, domain: name, domainId: domain.id, ids }
}

/** All that an owner has, as the store tells of it. */
async function everything({ company, domainId, ids }: Owner): Promise<string> {
  const { domains, keys, companies } = await service.store.accounts()
  const own = (each: { companyId: string }) => each.companyId === company.id
  const email = await service.store.readHistory(ids.email!)
  return JSON.stringify([
    domains.find(({ id }) => id === domainId),
    keys.filter(own).map(({ id, name, revokedAt }) => [id, name, revokedAt]),
    companies.filter(({ id }) => id === company.id),
    await service.store.webhooks({ companyId: company.id }),
    await service.store.findSuppression(company.id, ids.suppression!),
    [email?.recipients, email?.events.length],
    Buffer.from((await service.store.signingKey(company.id)) ?? []).toString('hex'),
  ])
}

function withIds(path: string, { domain, ids }: Owner): string {
  const of = path.startsWith('/emails')
    ? ids.email!
    : path.startsWith('/domains')
      ? ids.domain!
      : path.startsWith('/api-keys')
        ? ids.key!
        : path.startsWith('/webhooks')
          ? ids.webhook!
          : ids.suppression!
  const values: Record<string, string> = {
    ...{ id: of, attachment: ids.attachment!, domain, key: ids.email!, selector: ids.selector! },
    ...{ address: `${SECRET}@listed.test`, value: `${SECRET}@listed.test`, word: 'delivered', tag: SECRET },
    ...{ login: SECRET, event: 'msg_1', '*': '' },
  }
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name]!))
}

/** What a body has to have to be taken, by whatever route. */
const fieldsFor = ({ domain, ids }: Owner): Record<string, string> => ({
  ...{ from: `a@${domain}`, to: 'b@x.test', subject: 's', text: 't', html: 't', name: 'x', domain },
  ...{ signing_domain: domain, selector: ids.selector!, domain_id: ids.domain!, id: ids.webhook! },
  ...{ url: 'https://a.test/hook', address: `${SECRET}@listed.test`, tag: SECRET, description: 'x' },
  ...{ event_types: 'delivered', login: 'x', password: 'x'.repeat(20), active: 'yes', self: 'true' },
  ...{ dkim_selector: 'mine', event: 'delivered', email: `${SECRET}@listed.test` },
})

interface Asked {
  line: string
  reply: Reply
}

async function askEverything(token: string, of: Owner): Promise<Asked[]> {
  const asked: Asked[] = []
  const fields = fieldsFor(of)
  // What removes comes last: the others would find nothing.
  for (const method of METHODS) {
    for (const path of Object.keys(paths).filter((name) => method in paths[name]!)) {
      if (PUBLIC.includes(path)) continue
      const form = /^\/v\d/.test(path)
      const isQuery = form && (method === 'get' || method === 'delete')
      const query = isQuery ? `?${new URLSearchParams(fields)}` : ''
      const multipart = new FormData()
      for (const [name, value] of Object.entries(fields)) multipart.append(name, value)
      if (path.endsWith('/import'))
        multipart.append('file', new Blob([`address\n${SECRET}2@listed.test\n`]), 'l.csv')
      const lists = { events: ['email.sent'], emails: [fields.email], ids: [of.ids.suppression] }
      const body = form && !path.includes('analytics') ? multipart : JSON.stringify({ ...fields, ...lists })
      const list = path.includes('suppressions/batch') || path === '/emails/batch'
      const sent = list ? JSON.stringify([fields]) : body
      const headers: Record<string, string> = { authorization: form ? basic(token) : `Bearer ${token}` }
      if (typeof sent === 'string') headers['content-type'] = 'application/json'
      const reply = await call(`${service.url}${withIds(path, of)}${query}`, {
        method: method.toUpperCase(),
        headers,
        ...(method !== 'get' && { body: sent }),
      })
      asked.push({ line: `${method} ${path}`, reply })
    }
  }
  return asked
}

/** Its sender, its file, or where it is told: what was asked about, an address or a tag, may be said again. */
const TOLD = new RegExp(`${SECRET}(?:@(?!listed)|\\.txt|\\.test/hook)`)

function telling({ reply }: Asked): boolean {
  return reply.status < 300 && TOLD.test(reply.text)
}

function assertNothingTold(asked: readonly Asked[]): void {
  for (const { line, reply } of asked) assert.ok(reply.status < 500, `${line}: ${reply.status} ${reply.text}`)
  const told = asked.filter(telling).map(({ line, reply }) => `${line}: ${reply.text}`)
  assert.deepEqual(told, [])
}

describe('whatever a customer asks for', () => {
  test('a key of another company neither sees nor changes anything', async () => {
    const theirs = await owner(await service.company(), 'theirs.test')
    const { company } = await service.tenant('mine.test')
    const { token } = await service.key(company.id, { scopes: [...SCOPES] })
    const before = await everything(theirs)
    const asked = await askEverything(token, theirs)
    assertNothingTold(asked)
    assert.equal(await everything(theirs), before)
  })

  test('a key for one domain neither sees nor changes anything of another, or of the company', async () => {
    const company = await service.company()
    const first = await service.domain(company.id, 'first.test')
    const second = await owner(company, 'second.test')
    const { token } = await service.key(company.id, { scopes: [...SCOPES], domainId: first.id })
    const before = await everything(second)
    const asked = await askEverything(token, second)
    assertNothingTold(asked)
    assert.equal(await everything(second), before)
  })

  test('the key of the owner sees and changes it', async () => {
    const own = await owner(await service.company(), 'own.test')
    const { token } = await service.key(own.company.id, { scopes: [...SCOPES] })
    const before = await everything(own)
    const asked = await askEverything(token, own)
    assert.ok(asked.length > 100, `${asked.length} routes`)
    assert.ok(
      asked.filter(telling).length >= 8,
      asked
        .filter(telling)
        .map(({ line }) => line)
        .join(),
    )
    // Its key is the link.
    const refused = asked.filter(({ line, reply }) => reply.status === 403 && !line.endsWith('/download'))
    assert.deepEqual(
      refused.map(({ line }) => line),
      [],
    )
    assert.notEqual(await everything(own), before)
  })
})
