/** The log's advice to the operator about a refused application. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { smtpWords } from '../../src/submission/words.ts'
import { type Service, startService } from '../support/service.ts'
import { Api } from './requests.ts'

describe('the advice about a refusal', () => {
  let service: Service
  let api: Api

  before(async () => {
    service = await startService()
    const { key } = await service.tenant('mail.test')
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  /** The advice of the last refusal in the log. */
  function advised(): { next: string; domain: string } {
    const line = service.logged.findLast((each) => each.includes('an application was refused'))
    return JSON.parse(line ?? assert.fail('no refusal was logged'))
  }

  const FIELDS: [string, string][] = [
    ['from', 'a@mail.test'],
    ['to', 'b@x.test'],
    ['text', 'x'],
  ]

  test('the command in a log line holds nothing else that a shell would run', async () => {
    const given = '$(touch x).test'
    assert.equal((await api.form(encodeURIComponent(given), FIELDS)).status, 404)
    const { next, domain } = advised()
    assert.match(next, /^postroad domain add DOMAIN --company NAME, /)
    assert.equal(domain, given)
  })

  test('nor does the command in a log line about an SMTP reply', () => {
    for (const [given, shown] of [
      ['$(touch x).test', 'DOMAIN'],
      ['x.test;id', 'DOMAIN'],
      ['x.test\nid', 'DOMAIN'],
      ['--company', 'DOMAIN'],
      ['Straße.test', 'xn--strae-oqa.test'],
      ['other.test', 'other.test'],
    ] as const) {
      const { text } = smtpWords({ code: 'domain_unknown', domain: given })
      assert.ok(String(text).includes(`(postroad domain add ${shown})`), String(text))
    }
  })
})
