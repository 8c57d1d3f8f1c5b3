/** Both dialects have an error for every reason, in the format that their clients can read. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formWords } from '../../src/http/form/words.ts'
import { jsonWords } from '../../src/http/json/words.ts'
import type { AnyReason } from '../../src/ingress/fault.ts'

/** The 21 names that all existing clients know; some take an error with any other name for a success. */
const NAMES = new Set(
  `application_error concurrent_idempotent_requests daily_quota_exceeded internal_server_error invalid_access
  invalid_api_key invalid_attachment invalid_from_address invalid_idempotency_key invalid_idempotent_request
  invalid_parameter invalid_region method_not_allowed missing_api_key missing_required_field monthly_quota_exceeded
  not_found rate_limit_exceeded restricted_api_key security_error validation_error`.split(/\s+/),
)

/** One of each; the compiler asks for a new one when a reason is added. */
const reasons: { [Code in AnyReason['code']]: Extract<AnyReason, { code: Code }> } = {
  scope_missing: { code: 'scope_missing', scope: 'sending' },
  key_restricted: { code: 'key_restricted', domain: 'x.test' },
  domain_unknown: { code: 'domain_unknown', domain: 'x.test' },
  domain_inactive: { code: 'domain_inactive', domain: 'x.test', why: 'it was suspended', cause: 'suspended' },
  from_mismatch: { code: 'from_mismatch', domain: 'x.test', fromDomain: 'y.test' },
  field_missing: { code: 'field_missing', field: 'to' },
  body_missing: { code: 'body_missing' },
  address_invalid: { code: 'address_invalid', field: 'reply_to', detail: 'it has no at sign' },
  author_denied: { code: 'author_denied', field: 'headers.Sender', detail: 'Sender names x.test' },
  field_invalid: { code: 'field_invalid', field: 'headers.X-A', detail: 'it has a line break' },
  attachment_invalid: { code: 'attachment_invalid', index: 0, detail: 'it has no name' },
  too_many_recipients: { code: 'too_many_recipients', max: 1000, found: 1001 },
  message_too_large: { code: 'message_too_large', max: 1_048_576, found: 2_097_152 },
  mail_loop: { code: 'mail_loop', detail: 'it has been here 5 times' },
  options_too_large: { code: 'options_too_large', max: 16_384 },
  unsupported: { code: 'unsupported', field: 'template', detail: 'there are none' },
  idempotency_key_invalid: { code: 'idempotency_key_invalid', detail: 'it is too long' },
  idempotency_conflict: { code: 'idempotency_conflict' },
  quota_exceeded: {
    code: 'quota_exceeded',
    domain: 'acme.test',
    which: 'daily',
    limit: 100,
    until: Date.UTC(2026, 10, 23),
    retryAfter: 3600,
  },
  unavailable: { code: 'unavailable', of: 'mail', retryAfter: 2.5, detail: 'disk full at /secret/path' },
  key_missing: { code: 'key_missing' },
  person_refused: {
    code: 'person_refused',
    status: 403,
    why: 'not_allowed',
    detail: 'only operators may do this',
  },
  key_invalid: { code: 'key_invalid', mistake: 'unknown' },
  key_expired: { code: 'key_expired' },
  key_elsewhere: { code: 'key_elsewhere', keyId: 'k', address: '192.0.2.1' },
  link_refused: { code: 'link_refused', detail: 'This link has ended' },
  rate_limited: { code: 'rate_limited', of: 'key', limit: 5, retryAfter: 1 },
  too_much_under_way: { code: 'too_much_under_way', retryAfter: 2 },
  overloaded: { code: 'overloaded', retryAfter: 2 },
  too_complex: { code: 'too_complex', cause: 'memory' },
  body_too_large: { code: 'body_too_large', max: 2_097_152, messageMax: 1_048_576 },
  body_malformed: { code: 'body_malformed', detail: 'It is not JSON.' },
  media_type_unsupported: { code: 'media_type_unsupported', detail: 'It is not JSON.' },
  request_invalid: { code: 'request_invalid', detail: 'It is not valid.' },
  path_unknown: { code: 'path_unknown' },
  method_unknown: { code: 'method_unknown', allow: 'GET, HEAD' },
  email_unknown: { code: 'email_unknown' },
  operation_refused: {
    code: 'operation_refused',
    why: 'already_exists',
    about: { noun: 'suppression', name: 'a@x.test' },
    detail: 'it is there',
  },
  http_malformed: { code: 'http_malformed', status: 431, detail: 'It is too long.' },
  internal: { code: 'internal', requestId: 'abc' },
}

for (const reason of Object.values(reasons)) {
  describe(reason.code, () => {
    test('JSON: an error status, exactly three keys, a name clients know, a message', () => {
      const { status, type, body } = jsonWords(reason)
      assert.ok(status >= 400 && status <= 599)
      assert.equal(type, 'application/json; charset=utf-8')
      const parsed = JSON.parse(body) as Record<string, unknown>
      assert.deepEqual(Object.keys(parsed), ['statusCode', 'message', 'name'])
      assert.equal(parsed.statusCode, status)
      assert.ok(NAMES.has(String(parsed.name)), String(parsed.name))
      assert.ok(String(parsed.message).length > 5)
    })

    test('form: an error status and a message', () => {
      const { status, type, body } = formWords(reason)
      assert.ok(status >= 400 && status <= 599)
      if (status === 401) {
        assert.deepEqual([type, body], ['text/plain; charset=utf-8', 'Forbidden'])
        return
      }
      assert.equal(type, 'application/json; charset=utf-8')
      assert.deepEqual(Object.keys(JSON.parse(body) as object), ['message'])
    })
  })
}

describe('headers', () => {
  for (const words of [jsonWords, formWords]) {
    test(`retry-after is a whole number of seconds, rounded up (${words.name})`, () => {
      assert.equal(words(reasons.unavailable).headers?.['retry-after'], '3')
      assert.equal(words(reasons.rate_limited).headers?.['retry-after'], '1')
    })

    test(`405 names the allowed methods (${words.name})`, () => {
      assert.equal(words(reasons.method_unknown).headers?.allow, 'GET, HEAD')
    })

    test(`401 names the scheme (${words.name})`, () => {
      assert.match(
        String(words(reasons.key_missing).headers?.['www-authenticate']),
        /^(Bearer|Basic) realm="Postroad"$/,
      )
    })

    test(`an internal error reveals no internals (${words.name})`, () => {
      assert.doesNotMatch(words(reasons.unavailable).body, /disk|secret/)
      assert.match(words(reasons.internal).body, /abc/)
    })
  }
})
