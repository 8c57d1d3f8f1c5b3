/** Addresses as people paste them, in both dialects. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, newestEmail } from './requests.ts'

describe('addresses', () => {
  let service: Service
  let api: Api
  let companyId: string

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('ours.test')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const minimal = { from: 'Ann <ann@ours.test>', subject: 's', text: 't' }
  /** The recipients of the email in each dialect. */
  const recipients = async (to: string): Promise<string[][]> => {
    const ids = [await api.accepted({ ...minimal, to })]
    const reply = await api.form('ours.test', Object.entries({ ...minimal, to }))
    assert.equal(reply.status, 200, reply.text)
    ids.push(await newestEmail(service, companyId))
    const works = await Promise.all(ids.map((id) => service.store.readWork(id)))
    return works.map((work) => work!.recipients.map(({ address }) => address))
  }

  test('separated by semicolons are a list', async () => {
    const both = ['a@x.com', 'b@x.com']
    assert.deepEqual(await recipients('a@x.com; b@x.com'), [both, both])
    assert.deepEqual(await recipients('"A; a" <a@x.com>;Roe, B <b@x.com>;'), [both, both])
  })

  test('lose the Unicode spaces around them and have none inside', async () => {
    const both = ['a@x.com', 'b@x.com']
    assert.deepEqual(await recipients('\u00a0a@x.com\u2003;\u3000<\u2007b@x.com\u2800>'), [both, both])
    for (const to of ['a\u00a0b@x.com', 'a@x\u3000.com', 'a\u2800@x.com']) {
      assertJsonError(await api.send({ ...minimal, to }), 422, 'validation_error', /^Invalid `to` field\./)
      const reply = await api.form('ours.test', Object.entries({ ...minimal, to }))
      assertFormError(reply, 400, 'to parameter is not a valid address. please check documentation')
    }
  })

  const slips: [to: string, why: RegExp][] = [
    ['mailto:x@y.com', /begins with "mailto:": leave that out/],
    ['Jane <mailto:x@y.com>', /has "mailto:" before the address: leave that out/],
    ['x@y.com z@y.com', /more than one @ in it; commas separate addresses/],
    ['x y@z.com', /a space stands before the @; put "<" and ">" around the address/],
    ['x\u00a0y@z.com', /the space U\+00A0 stands before the @/],
    ['=?utf-8?q?x?=@y.com', /"=\?" before the @ begins an encoded word/],
  ]
  for (const [to, why] of slips) {
    test(`${to}: the error names the fault`, async () => {
      assertJsonError(await api.send({ ...minimal, to }), 422, 'validation_error', why)
    })
  }
})
