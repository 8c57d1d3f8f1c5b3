/** The fields that the OpenAPI document lists for routes that are not declared: each is read as described. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEFAULT_POOL } from '../../../src/accounts/account.ts'
import { textOf } from '../../../src/mail/body.ts'
import type { ClaimedEmail, StoredEmail } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { OpenApi } from '../openapi.ts'
import { Api, newestEmail, type Part } from '../requests.ts'

const D = 'told.test'
const ADDRESS = '192.0.2.1'
const at = Math.floor(Date.now() / 1_000) + 7_200
const MIME = `From: Ann <ann@${D}>\r\nTo: b@x.test\r\nSubject: ready\r\n\r\nhello\r\n`

/** A value of each field, and where it is found. */
type Check = [value: Omit<Part, 'name'>, found: (work: ClaimedEmail, stored: StoredEmail) => unknown]
const text = (value: string) => ({ value })
const addresses = ({ recipients }: ClaimedEmail) => recipients.map(({ address }) => address)
const files = ({ content }: ClaimedEmail) => content.attachments.map(({ filename }) => filename)

const OPTIONS: Record<string, Check> = {
  'o:tag': [text('autumn'), (_, { tags }) => tags.some(({ value }) => value === 'autumn')],
  'o:testmode': [text('yes'), (_, { testMode }) => testMode],
  'o:require-tls': [text('yes'), (_, { tls }) => tls !== null],
  'o:skip-verification': [text('yes'), (_, { tls }) => tls === 'required'],
  'o:deliver-within': [
    text('1h30m'),
    ({ giveUpAt }, { createdAt, scheduledAt }) => giveUpAt === (scheduledAt ?? createdAt) + 5_400_000,
  ],
  'o:sending-ip': [text(ADDRESS), (_, { source }) => source === ADDRESS],
  'o:sending-ip-pool': [text(DEFAULT_POOL), (_, { source }) => source === DEFAULT_POOL],
  'o:deliverytime': [text(String(at)), (_, { scheduledAt }) => scheduledAt === at * 1_000],
  'recipient-variables': [
    text('{"b@x.test":{"n":"7"}}'),
    ({ individual, recipients }) => individual && recipients[0]?.variables?.n === '7',
  ],
}
const ROUTES: Record<string, Record<string, Check>> = {
  messages: {
    from: [text(`Ann <ann@${D}>`), ({ content }) => content.from.includes('ann@')],
    to: [text('b@x.test'), (work) => addresses(work).includes('b@x.test')],
    cc: [text('c@x.test'), (work) => addresses(work).includes('c@x.test')],
    bcc: [text('d@x.test'), (work) => addresses(work).includes('d@x.test')],
    subject: [text('Hello'), ({ content }) => content.subject === 'Hello'],
    html: [text('<p>rich</p>'), ({ content }) => content.html === '<p>rich</p>'],
    text: [text('plain'), ({ content }) => content.text === 'plain'],
    'amp-html': [
      text('<html amp4email></html>'),
      ({ content }) => textOf(content.amp ?? '').includes('amp4email'),
    ],
    'h:Reply-To': [text('r@x.test'), ({ content }) => content.replyTo.includes('r@x.test')],
    'h:Message-Id': [text(`<own@${D}>`), ({ content }) => content.messageId === `<own@${D}>`],
    attachment: [{ value: 'x', filename: 'a.txt' }, (work) => files(work).includes('a.txt')],
    inline: [{ value: 'x', filename: 'i.png' }, (work) => files(work).includes('i.png')],
    ...OPTIONS,
  },
  'messages.mime': {
    to: [text('b@x.test'), (work) => addresses(work).includes('b@x.test')],
    message: [{ value: MIME, filename: 'm' }, ({ raw }) => Buffer.from(raw!).includes('hello')],
    ...OPTIONS,
  },
}

let service: Service
let api: Api
let companyId: string
let openApi: OpenApi

before(async () => {
  service = await startService()
  await service.store.setSourcePool({ name: DEFAULT_POOL, addresses: [ADDRESS], warming: {}, createdAt: 0 })
  const { company, key } = await service.tenant(D)
  companyId = company.id
  api = new Api(service.url, key.token)
  openApi = await OpenApi.of(service.url)
})
after(() => service.close())

for (const [route, checks] of Object.entries(ROUTES)) {
  test(`POST /v3/{domain}/${route} reads the documented fields`, async () => {
    const { operation } = openApi.routes.find(({ path }) => path === `/v3/{domain}/${route}`)!
    for (const { schema } of Object.values(operation.requestBody!.content!)) {
      assert.deepEqual(Object.keys(schema!.properties).toSorted(), Object.keys(checks).toSorted())
    }
    // An address and a pool exclude each other.
    for (const left of ['o:sending-ip-pool', 'o:sending-ip']) {
      const sent = Object.entries(checks).filter(([name]) => name !== left)
      const reply = await api.multipart(
        D,
        sent.map(([name, [value]]) => ({ name, ...value })),
        route,
      )
      assert.equal(reply.status, 200, reply.text)
      const id = await newestEmail(service, companyId)
      const [work, stored] = [await service.store.readWork(id), await service.store.readEmail(id)]
      for (const [name, [, found]] of sent) assert.ok(found(work!, stored!), name)
    }
  })
}
