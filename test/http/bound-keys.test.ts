/**
 * A key has no access to the objects of others. Every route is called with the names and ids of another company's objects, of
 * those of a sister domain if the key is for one domain, and of a domain beside its sister where the key is for both.
 */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type Company, SCOPES, type SendingDomain } from '../../src/accounts/account.ts'
import { messageId, subjectOfMessage } from '../../src/events/webhooks/message-id.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { addSuppressions } from '../../src/operate/suppressions.ts'
import { addWebhook } from '../../src/operate/webhooks.ts'
import type { Webhook } from '../../src/store/store.ts'
import { type Service, startService } from '../support/service.ts'
import { Api, basic, call, type Reply } from './requests.ts'

interface Documented {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>
}
const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Documented
const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const PUBLIC = ['/health', '/ready']

/** A domain and the things that belong to it, or to nothing else of its company. */
interface Owner {
  company: Company
  domain: string
  domainId: string
  /** Stands in everything that it has. */
  mark: string
  /** Its domain has things of others as well. */
  isShared: boolean
  ids: Record<(typeof THINGS)[number], string>
}
const THINGS = [
  ...([
    'email',
    'attachment',
    'webhook',
    'message',
    'page',
    'key',
    'domain',
    'suppression',
    'selector',
  ] as const),
]

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.close())

/** @param of the domain that it shares with another; absent: one of its own */
async function owner(company: Company, mark: string, of?: SendingDomain): Promise<Owner> {
  const domain = of ?? (await service.domain(company.id, `${mark}.test`))
  const { name } = domain
  const whole = await service.key(company.id, { scopes: [...SCOPES] })
  const key = await service.key(company.id, { domainId: domain.id })
  const api = new Api(service.url, key.token)
  const at = new Date(Date.now() + 86_400_000).toISOString()
  const file = { filename: `${mark}.txt`, content: Buffer.from(mark).toString('base64') }
  const mail = { from: `${mark}@${name}`, subject: mark, text: mark, tags: [{ name: 'tag', value: mark }] }
  const email = await api.accepted({
    ...{ ...mail, to: `${mark}@x.test`, scheduled_at: at, attachments: [file] },
  })
  // An email with events and counts.
  await api.accepted({ ...mail, to: `${mark}@y.test` })
  const accounts = await service.store.accounts()
  const op = operationOn(service.settings, service.store, OPERATOR, accounts, { seal: service.app.seal })
  const hook = { company: company.id, domain: domain.id, url: `https://${mark}.test/hook` }
  const json = await addWebhook(op, hook)
  await addWebhook(op, { ...hook, dialect: 'form', events: ['delivered'] })
  const entries = [{ address: `${mark}@listed.test`, type: 'bounce' as const, reason: mark }]
  const [suppressed] = await addSuppressions(op, { company: company.id, entries, domain: domain.id })
  const login = new URLSearchParams({ login: mark })
  const headers = { authorization: basic(whole.token) }
  const made = await call(`${service.url}/v3/domains/${name}/credentials`, {
    method: 'POST',
    headers,
    body: login,
  })
  assert.equal(made.status, 200, made.text)
  const page = await call(`${service.url}/v3/${name}/events`, { headers })
  const files = await new Api(service.url, whole.token).get(`/emails/${email}/attachments`)
  const [attachment] = files.body.data as { id: string }[]
  const { events } = await service.store.eventsAfter(0, { companyId: company.id }, 1_000)
  const ids = {
    ...{ email, webhook: json.webhook.id, key: key.id, domain: domain.id },
    message: messageId(json.webhook.id, events.findLast(({ emailId }) => emailId === email)!),
    page: (page.body.paging as { next: string }).next.split('/').at(-1)!,
    ...{
      suppression: suppressed!.suppression.id,
      attachment: attachment!.id,
      selector: domain.dkim[0]!.selector,
    },
  }
  return { company, domain: name, domainId: domain.id, mark, isShared: of !== undefined, ids }
}

/** Named as others are, and there is nothing of it. */
function nobody(company: Company): Owner {
  const ids = Object.fromEntries(THINGS.map((thing) => [thing, randomUUIDv7()])) as Owner['ids']
  return { company, domain: 'nobodys.test', domainId: ids.domain, mark: 'nobodys', isShared: false, ids }
}

/** All objects of an owner in the store: a line for each kind. */
async function everything({ company, domainId, ids, mark, isShared }: Owner): Promise<string[]> {
  const { domains, keys, companies } = await service.store.accounts()
  const its = (each: { id: string; companyId: string; domainId: string | null }) =>
    each.companyId === company.id &&
    each.domainId === domainId &&
    (!isShared || each.id === ids.key || JSON.stringify(each).includes(mark))
  const email = (await service.store.readHistory(ids.email))!
  const webhooks = await service.store.webhooks({ companyId: company.id })
  const suppressions = await service.store.listSuppressions({ companyId: company.id, limit: 100 })
  // The state of its mail and the progress of its webhooks change by themselves.
  const setUp = ({ id, url, types, status, secret }: Webhook) => [id, url, types, status, secret]
  const signingKey = (await service.store.signingKey(company.id)) ?? Buffer.alloc(0)
  const all = {
    domain: domains.find(({ id }) => id === domainId),
    keys: keys.filter(its).map(({ id, name, revokedAt }) => [id, name, revokedAt]),
    company: companies.find(({ id }) => id === company.id),
    webhooks: webhooks.filter(its).map(setUp),
    suppressions: suppressions.filter(its),
    email: [email.recipients, email.events.length],
    signingKey,
  }
  const inHex = (_: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
  return Object.entries(all).map(([kind, value]) => `${kind} ${JSON.stringify(value, inHex)}`)
}

interface Route {
  method: string
  path: string
}
/** What removes comes last: the others would find nothing. */
const ROUTES: readonly Route[] = METHODS.flatMap((method) =>
  Object.keys(paths)
    .filter((path) => method in paths[path]! && !PUBLIC.includes(path))
    .map((path) => ({ method, path })),
)

function withIds(path: string, { domain, ids, mark }: Owner): string {
  const of = path.startsWith('/emails')
    ? ids.email
    : path.startsWith('/logs')
      ? ids.email
      : path.startsWith('/domains')
        ? ids.domain
        : /^\/(?:api-|v1\/)keys/.test(path)
          ? ids.key
          : path.startsWith('/webhooks')
            ? ids.webhook
            : ids.suppression
  const values: Record<string, string> = {
    ...{ id: of, attachment: ids.attachment, domain, key: ids.email, selector: ids.selector },
    ...{ address: `${mark}@listed.test`, value: `${mark}@listed.test`, word: 'delivered', tag: mark },
    ...{ ip: '192.0.2.1', pool: mark },
    ...{ login: mark, event: ids.message, '*': ids.page, webhook: ids.webhook },
  }
  return path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(
      values[name] ?? assert.fail(`${path}: what stands for ${name}? Write it in values of withIds`),
    ),
  )
}

/** Fields of a body that any route accepts. */
const fieldsFor = ({ domain, ids, mark }: Owner): Record<string, string> => ({
  ...{ from: `a@${domain}`, to: 'b@x.test', subject: 's', text: 't', html: 't', name: 'x', domain },
  ...{ signing_domain: domain, selector: ids.selector, domain_id: ids.domain, id: ids.webhook },
  ...{ url: `https://${mark}.a.test/hook`, address: `${mark}@listed.test`, tag: mark, description: 'x' },
  ...{ event_types: 'delivered', login: 'x', active: 'yes', self: 'true' },
  ...{ role: 'sending', domain_name: domain, type: 'device', timestamp: '1790000000' },
  ...{ dkim_selector: 'mine', event: 'delivered', email: `${mark}@listed.test` },
})

async function ask(token: string, { method, path }: Route, of: Owner): Promise<Reply> {
  const fields = fieldsFor(of)
  const form = /^\/v\d/.test(path)
  const isQuery = form && (method === 'get' || method === 'delete')
  const query = isQuery ? `?${new URLSearchParams(fields)}` : ''
  const multipart = new FormData()
  for (const [name, value] of Object.entries(fields)) multipart.append(name, value)
  if (path.endsWith('/import')) {
    multipart.append('file', new Blob([`address\n${of.mark}2@listed.test\n`]), 'l.csv')
  }
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
  assert.ok(reply.status < 500, `${method} ${path}: ${reply.status} ${reply.text}`)
  return reply
}

/** Its sender, its file or its webhook URL is in the answer; a requested address or tag may be repeated. */
function tells({ status, text }: Reply, { mark }: Owner): boolean {
  return status < 300 && new RegExp(`${mark}(?:@(?!listed)|\\.txt|\\.test/hook)`).test(text)
}

/** The answer without the requested names and without the parts that are new in each answer. */
function said({ status, text }: Reply, { mark, domain, ids }: Owner): string {
  const names = [...Object.values(ids), domain, mark].flatMap((name) => [name, encodeURIComponent(name)])
  const rest = names.reduce((left, name) => left.replaceAll(name, '?'), text)
  const fresh =
    /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b(?:re_|whsec_)\S+|\bA[\w-]{60,}|\b[\da-f]{32}\b|\d{4}-\d\d-\d\d[T ][\d:.]+|\d\d:\d\d:\d\d/g
  return `${status} ${rest.replace(fresh, '?')}`
}

/** Each route, once about the owner and once about unknown objects. */
async function assertUnknown(token: string, owner: Owner): Promise<void> {
  const none = nobody(owner.company)
  const before = await everything(owner)
  for (const route of ROUTES) {
    const line = `${route.method} ${route.path}`
    const reply = await ask(token, route, owner)
    assert.ok(!tells(reply, owner), `${line}: ${reply.text}`)
    const aboutNobody = await ask(token, route, none)
    // The log has the requests of this key itself, and each call makes it longer.
    if (route.path !== '/logs') assert.equal(said(reply, owner), said(aboutNobody, none), line)
  }
  assert.deepEqual(await everything(owner), before)
}

/** What is there for the whole company under whatever domain. */
const OF_COMPANY = /^\/v3\/\{domain\}\/(?:bounces|unsubscribes|complaints|whitelists)/
/** Names one thing of a domain that may have several. */
const OF_THING = /^\/(?!domains).*\{id\}|\{(?:login|address|tag|key)\}/

/** Names a domain, an email or a webhook, and something that it has. */
const OF_TWO = /\{domain\}.*\{(?:key|login|tag)\}|\{id\}.*\{(?:attachment|event)\}$/

/** Each of these routes, about one of the two: the other stays as it is, and the answer reveals nothing about it. */
async function assertApart(
  routes: readonly Route[],
  one: Owner,
  other: Owner,
  domainId: string | null = null,
): Promise<void> {
  assert.ok(routes.length > 20)
  const { token } = await service.key(one.company.id, { scopes: [...SCOPES], domainId })
  const before = await everything(other)
  for (const route of routes) {
    const line = `${route.method} ${route.path}`
    const reply = await ask(token, route, one)
    assert.ok(!reply.text.includes(other.mark), `${line}: ${reply.text}`)
    assert.deepEqual(await everything(other), before, line)
  }
}

describe('the bounds of a key, for every request', () => {
  test('a key of another company neither sees nor changes anything', async () => {
    const theirs = await owner(await service.company(), 'theirs')
    const { company } = await service.tenant('mine.test')
    await assertUnknown((await service.key(company.id, { scopes: [...SCOPES] })).token, theirs)
  })

  test('a key for one domain neither sees nor changes anything of another, or of the company', async () => {
    const company = await service.company()
    const first = await service.domain(company.id, 'first.test')
    const second = await owner(company, 'secondly')
    const { token } = await service.key(company.id, { scopes: [...SCOPES], domainId: first.id })
    await assertUnknown(token, second)
  })

  test('a key for one domain neither sees nor changes anything of another, whatever it does with its own', async () => {
    const company = await service.company()
    const [one, other] = [await owner(company, 'mineonly'), await owner(company, 'sisterly')]
    await assertApart(ROUTES, one, other, one.domainId)
  })

  test('a key for both domains neither sees nor changes anything of one by the names of the other', async () => {
    const company = await service.company()
    const [one, other] = [await owner(company, 'oneself'), await owner(company, 'otherly')]
    const named = ROUTES.filter(({ path }) => path.includes('{') && !OF_COMPANY.test(path))
    await assertApart(named, one, other)
  })

  test('nor is an object of the one found under the name of the other', async () => {
    const company = await service.company()
    const [one, other] = [await owner(company, 'upwards'), await owner(company, 'downwards')]
    const { token } = await service.key(company.id, { scopes: [...SCOPES] })
    const { attachment, message } = other.ids
    const underDomain: Owner = { ...other, domain: one.domain, ids: { ...other.ids, domain: one.domainId } }
    const underThing: Owner = { ...other, ids: { ...one.ids, attachment, message } }
    // A message has an id of its own for each webhook.
    const event = subjectOfMessage(message)!.number
    const { events } = await service.store.eventsAfter(event - 1, { companyId: company.id }, 1)
    underThing.ids.message = messageId(one.ids.webhook, events[0]!)
    const before = await everything(other)
    for (const route of ROUTES.filter(({ path }) => OF_TWO.test(path))) {
      const line = `${route.method} ${route.path}`
      const reply = await ask(token, route, route.path.includes('{domain}') ? underDomain : underThing)
      assert.equal(reply.status, 404, `${line}: ${reply.status} ${reply.text}`)
      assert.deepEqual(await everything(other), before, line)
    }
  })

  test('nor is a part of one email, webhook, key, login, tag or address found by the name of another of the same domain', async () => {
    const company = await service.company()
    const domain = await service.domain(company.id, 'shared.test')
    const [one, other] = [await owner(company, 'oneself', domain), await owner(company, 'otherly', domain)]
    await assertApart(
      ROUTES.filter(({ path }) => OF_THING.test(path)),
      one,
      other,
    )
  })

  test('the key of the owner sees and changes it', async () => {
    const own = await owner(await service.company(), 'ownership')
    const { token } = await service.key(own.company.id, { scopes: [...SCOPES] })
    const before = await everything(own)
    const asked: { line: string; reply: Reply }[] = []
    for (const route of ROUTES) {
      asked.push({ line: `${route.method} ${route.path}`, reply: await ask(token, route, own) })
    }
    assert.ok(asked.length > 100, `${asked.length} routes`)
    const telling = asked.filter(({ reply }) => tells(reply, own)).map(({ line }) => line)
    assert.ok(telling.length >= 12, telling.join())
    // A link is the key to these.
    const byLink = /^get .*\/(?:download|share)$/
    const refused = asked.filter(({ line, reply }) => reply.status === 403 && !byLink.test(line))
    assert.deepEqual(
      refused.map(({ line }) => line),
      [],
    )
    assert.notDeepEqual(await everything(own), before)
  })
})
