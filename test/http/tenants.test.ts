/** Tenant isolation: every endpoint treats objects of another company as if they did not exist. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company, SendingDomain } from '../../src/accounts/account.ts'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, emailCount, type Reply } from './requests.ts'

interface Tenant {
  company: Company
  domain: SendingDomain
  api: Api
  emailId: string
}

describe('tenant isolation', () => {
  let service: Service
  let mine: Tenant
  let theirs: Tenant

  async function tenant(name: string): Promise<Tenant> {
    const { company, domain, key } = await service.tenant(name)
    const api = new Api(service.url, key.token)
    const emailId = await api.accepted({
      from: `secret@${name}`,
      to: 'someone@x.test',
      subject: 'confidential',
      text: 'secret',
    })
    return { company, domain, api, emailId }
  }

  before(async () => {
    service = await startService()
    mine = await tenant('mine.example')
    theirs = await tenant('theirs.example')
  })
  after(() => service.close())

  /** The answer about a foreign object must equal the answer about an unknown one, except for the requested name. */
  function assertSame(foreign: Reply, unknown: Reply, from: string, to: string): void {
    assert.equal(foreign.status, unknown.status)
    assert.equal(foreign.text, unknown.text.replaceAll(from, to))
    const headers = (reply: Reply) => [...reply.headers.keys()].sort()
    assert.deepEqual(headers(foreign), headers(unknown))
    assert.doesNotMatch(foreign.text, /confidential|secret@/)
  }

  test('GET /emails/{id} of another company: the 404 of an unknown id', async () => {
    const foreign = await mine.api.get(`/emails/${theirs.emailId}`)
    assertJsonError(foreign, 404, 'not_found', 'Email not found')
    assertSame(foreign, await mine.api.get('/emails/01a1fba6-08a9-7e45-998a-efec67aab0d1'), '', '')
  })

  for (const scopes of [['sending'], ['reading'], ['sending', 'reading', 'management']] as const) {
    test(`no scope reads it: ${scopes.join(', ')}`, async () => {
      const key = await service.key(mine.company.id, { scopes: [...scopes] })
      const reply = await new Api(service.url, key.token).get(`/emails/${theirs.emailId}`)
      assertJsonError(reply, 404, 'not_found', 'Email not found')
    })
  }

  test('a key without reading gets the same 403 for it as for an unknown id', async () => {
    const key = await service.key(mine.company.id, { scopes: ['management'] })
    const api = new Api(service.url, key.token)
    const foreign = await api.get(`/emails/${theirs.emailId}`)
    assertJsonError(
      foreign,
      403,
      'restricted_api_key',
      'This API key lacks the `reading` scope; create another one that has it: postroad key create --company NAME --name NAME --scope reading',
    )
    assertSame(foreign, await api.get('/emails/01a1fba6-08a9-7e45-998a-efec67aab0d1'), '', '')
  })

  test('nor does a key restricted to a domain of its own company', async () => {
    const key = await service.key(mine.company.id, { domainId: mine.domain.id })
    const reply = await new Api(service.url, key.token).get(`/emails/${theirs.emailId}`)
    assertJsonError(reply, 404, 'not_found', 'Email not found')
  })

  for (const from of [
    'a@theirs.example',
    'A <a@THEIRS.example>',
    '"a@mine.example" <b@theirs.example>',
    'a@sub.mine.example',
    'a@mine.example.theirs.example',
  ]) {
    test(`POST /emails from ${from}: 403, nothing sent`, async () => {
      const before = [
        await emailCount(service, mine.company.id),
        await emailCount(service, theirs.company.id),
      ]
      const reply = await mine.api.send({ from, to: 'b@x.test', text: 't' })
      assertJsonError(reply, 403, 'validation_error', /is not verified/)
      const now = [await emailCount(service, mine.company.id), await emailCount(service, theirs.company.id)]
      assert.deepEqual(now, before)
    })
  }

  test('a domain of another company is refused with the error for an unknown one', async () => {
    const send = (from: string) => mine.api.send({ from, to: 'b@x.test', text: 't' })
    assertSame(await send('a@theirs.example'), await send('a@nobodys.example'), 'nobodys', 'theirs')
  })

  for (const path of ['messages', 'messages.mime']) {
    test(`POST /v3/{their domain}/${path}: the 404 of an unknown domain`, async () => {
      const send = (domain: string) =>
        mine.api.multipart(
          domain,
          [
            { name: 'from', value: `a@${domain}` },
            { name: 'to', value: 'b@x.test' },
          ],
          path,
        )
      const foreign = await send('theirs.example')
      assertFormError(foreign, 404, 'Domain not found: theirs.example')
      assertSame(foreign, await send('nobodys.example'), 'nobodys', 'theirs')
    })
  }

  test('a sender of theirs under a domain of mine: 400, nothing sent', async () => {
    const before = await emailCount(service, theirs.company.id)
    const fields: [string, string][] = [
      ['from', 'a@theirs.example'],
      ['to', 'b@x.test'],
      ['text', 't'],
    ]
    assertFormError(await mine.api.form('mine.example', fields), 400, /^from parameter is not valid/)
    assert.equal(await emailCount(service, theirs.company.id), before)
  })

  test('a foreign sender in the header of a ready message: 400', async () => {
    const message = 'From: a@theirs.example\r\nTo: b@x.test\r\nSubject: s\r\n\r\nt\r\n'
    const reply = await mine.api.multipart(
      'mine.example',
      [
        { name: 'to', value: 'b@x.test' },
        { name: 'message', value: message, filename: 'm' },
      ],
      'messages.mime',
    )
    assertFormError(reply, 400, /^from parameter is not valid/)
  })

  test('a revoked key stops at once on this node, in both dialects, with the error for an unknown one', async () => {
    const { id, token } = await service.key(mine.company.id)
    const api = new Api(service.url, token)
    assert.equal((await api.get(`/emails/${mine.emailId}`)).status, 200)
    await service.store.revokeKey(id, Date.now())
    await service.app.refreshAccounts()
    assertJsonError(await api.get(`/emails/${mine.emailId}`), 401, 'invalid_api_key', 'API key is invalid')
    assertJsonError(await api.send({ from: 'a@mine.example' }), 401, 'invalid_api_key', 'API key is invalid')
    assert.equal((await api.form('mine.example', [])).text, 'Forbidden')
  })

  test('a key revoked by another process stops within a second', async () => {
    const { id, token } = await service.key(mine.company.id)
    const api = new Api(service.url, token)
    await service.store.revokeKey(id, Date.now())
    const deadline = Date.now() + 5_000
    while ((await api.get(`/emails/${mine.emailId}`)).status !== 401) {
      assert.ok(Date.now() < deadline, 'the key still works')
    }
  })
})
