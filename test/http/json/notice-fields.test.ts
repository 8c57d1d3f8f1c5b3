/** The fields of an email that the OpenAPI document lists for the JSON dialect: each is read as described. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ClaimedEmail, StoredEmail } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { OpenApi } from '../openapi.ts'
import { Api } from '../requests.ts'

const D = 'told.test'
const at = Math.floor(Date.now() / 1_000 + 7_200) * 1_000

/** A value of each field, and where it is found. */
type Check = [value: unknown, found: (work: ClaimedEmail, stored: StoredEmail) => unknown]
const addresses = ({ recipients }: ClaimedEmail) => recipients.map(({ address }) => address)
const file = ({ content }: ClaimedEmail) => content.attachments[0]!

const OF_FILE: Record<string, Check> = {
  filename: ['a.bin', (work) => file(work).filename === 'a.bin'],
  content: ['aGVsbG8=', (work) => Buffer.from(file(work).content).toString() === 'hello'],
  content_type: ['text/x-told', (work) => file(work).contentType === 'text/x-told'],
  content_id: ['told-id', (work) => file(work).contentId === 'told-id'],
}
/** Beside `content` it has no place: remote-files.test.ts sees to it. */
const INSTEAD_OF_CONTENT = 'path'

const FIELDS: Record<string, Check> = {
  from: [`Ann <ann@${D}>`, ({ content }) => content.from.includes('ann@')],
  to: ['b@x.test', (work) => addresses(work).includes('b@x.test')],
  cc: ['c@x.test', (work) => addresses(work).includes('c@x.test')],
  bcc: ['d@x.test', (work) => addresses(work).includes('d@x.test')],
  reply_to: ['r@x.test', ({ content }) => content.replyTo.includes('r@x.test')],
  subject: ['Hello', ({ content }) => content.subject === 'Hello'],
  html: ['<p>rich</p>', ({ content }) => content.html === '<p>rich</p>'],
  text: ['plain', ({ content }) => content.text === 'plain'],
  headers: [{ 'X-Told': 'yes' }, ({ content }) => content.headers.some(([name]) => name === 'X-Told')],
  tags: [[{ name: 'season', value: 'autumn' }], (_, { tags }) => tags[0]?.value === 'autumn'],
  scheduled_at: [new Date(at).toISOString(), (_, { scheduledAt }) => scheduledAt === at],
  attachments: [
    [valuesOf(OF_FILE)],
    (work, stored) => Object.values(OF_FILE).every(([, found]) => found(work, stored)),
  ],
}

function valuesOf(checks: Record<string, Check>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(checks).map(([name, [value]]) => [name, value]))
}

let service: Service
let api: Api
let openApi: OpenApi

before(async () => {
  service = await startService()
  const { key } = await service.tenant(D)
  api = new Api(service.url, key.token)
  openApi = await OpenApi.of(service.url)
})
after(() => service.close())

test('POST /emails reads the documented fields', async () => {
  const { operation } = openApi.routes.find(({ method, path }) => method === 'POST' && path === '/emails')!
  const schema = operation.requestBody!.content!['application/json']!.schema as {
    properties: Record<string, { items?: { properties: object } }>
  }
  const told = ({ properties }: { properties: object }) => Object.keys(properties).toSorted()
  assert.deepEqual(told(schema), Object.keys(FIELDS).toSorted())
  const ofFile = [...Object.keys(OF_FILE), INSTEAD_OF_CONTENT].toSorted()
  assert.deepEqual(told(schema.properties.attachments!.items!), ofFile)
  const id = await api.accepted(valuesOf(FIELDS))
  const [work, stored] = [await service.store.readWork(id), await service.store.readEmail(id)]
  for (const [name, [, found]] of Object.entries(FIELDS)) assert.ok(found(work!, stored!), name)
})
