import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseEmailQuery } from '../../src/operate/email-query.ts'
import type { EmailSearch } from '../../src/operate/email-search.ts'
import { OperateError } from '../../src/operate/error.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const DAY = 86_400_000
const CLOCK = { now: NOW, timeZone: 'UTC' }
const ID = '019a9b2c-0000-7000-8000-000000000001'

describe('the text of a search for emails', () => {
  const searches: [text: string, search: EmailSearch][] = [
    ['', {}],
    ['   ', {}],
    ['invoice', { anyWords: ['invoice'], anyWordsOpen: true }],
    ['invoice  4711', { anyWords: ['invoice', '4711'], anyWordsOpen: true }],
    ['"welcome aboard"', { anyWords: ['welcome aboard'] }],
    ['subject:"welcome aboard" Ada', { words: ['welcome aboard'], anyWords: ['Ada'], anyWordsOpen: true }],
    ['subject:welcome', { words: ['welcome'] }],
    ['body:"order 4711" reply:full', { textWords: ['order 4711'], replyWords: ['full'] }],
    ['body:a body:b', { textWords: ['a', 'b'] }],
    ['subject:welc*', { subject: 'welc' }],
    ['Ada@Example.com', { anyWords: ['Ada@example.com'], anyWordsOpen: true }],
    ['a@x.test "b@x.test"', { anyWords: ['a@x.test', 'b@x.test'] }],
    ['to:Ada@Example.com', { to: 'Ada@example.com' }],
    ['TO:ada@example.com', { to: 'ada@example.com' }],
    ['to:@Example.com event:delayed', { toDomain: 'example.com', hadEvents: ['delivery_delayed'] }],
    ['to:@bücher.example', { toDomain: 'xn--bcher-kva.example' }],
    ['@gmail.com', { toDomain: 'gmail.com' }],
    ['from:"Ada Lovelace"', { from: 'Ada Lovelace' }],
    ['from:ada@example.com x', { from: 'ada@example.com', anyWords: ['x'], anyWordsOpen: true }],
    ['tag:news', { tag: { name: 'news' } }],
    ['tag:"kind:two words"', { tag: { name: 'kind', value: 'two words' } }],
    ['has:attachment', { attachments: true }],
    ['has:attachments invoice', { attachments: true, anyWords: ['invoice'], anyWordsOpen: true }],
    ['status:retrying,delayed,sent', { statuses: ['retrying', 'accepted'] }],
    ['status:Held', { statuses: ['held'] }],
    ['status:waiting', { statuses: ['waiting'] }],
    ['status:bounced,waiting,Held', { statuses: ['bounced', 'waiting', 'held'] }],
    ['event:waiting,captured', { statuses: ['waiting', 'captured'] }],
    ['"wel', { anyWords: ['wel'], anyWordsOpen: true }],
    ['to:you@ex', { toPart: 'you@ex' }],
    ['http://example.com', { anyWords: ['http://example.com'], anyWordsOpen: true }],
    ['event:captured,held', { statuses: ['captured', 'held'] }],
    ['event:unsubscribed', { hadEvents: ['unsubscribed'] }],
    ['event:bounced', { hadEvents: ['bounced'] }],
    ['event:Delayed,spam', { hadEvents: ['delivery_delayed', 'complained'] }],
    [
      'key:"my app" domain:mg.example.com company:Acme',
      { key: 'my app', domain: 'mg.example.com', company: 'Acme' },
    ],
    ['after:2026-01-31 before:2026-02-01', { since: Date.UTC(2026, 0, 31), until: Date.UTC(2026, 1, 1) }],
    ['since:7d until:24h', { since: NOW - 7 * DAY, until: NOW - DAY }],
    ['after:yesterday before:today', { since: NOW - 1.5 * DAY, until: NOW - DAY / 2 }],
    ['after:2026-01-31T12:30+01:00', { since: Date.UTC(2026, 0, 31, 11, 30) }],
    ['Re: hello', { anyWords: ['Re:', 'hello'], anyWordsOpen: true }],
    ['at 12:30', { anyWords: ['at', '12:30'], anyWordsOpen: true }],
    ['"to:nobody"', { anyWords: ['to:nobody'] }],
    ['заказ 東京', { anyWords: ['заказ', '東京'], anyWordsOpen: true }],
  ]
  for (const [text, search] of searches) {
    test(`"${text}"`, () => assert.deepEqual(parseEmailQuery(text, CLOCK), { kind: 'search', search }))
  }

  for (const text of [
    ID,
    ID.toUpperCase(),
    ` ${ID} `,
    `id:${ID}`,
    `<${ID}@mg.example.com>`,
    `${ID}@mg.example.com`,
  ]) {
    test(`"${text}" is one email`, () => {
      assert.deepEqual(parseEmailQuery(text, CLOCK), { kind: 'email', id: ID })
    })
  }

  const errors: [text: string, message: RegExp][] = [
    ['form:ada', /no filter "form:".*from, subject, body, reply/],
    ['Tag: invoice', /"tag:" needs a value/],
    ['to: you', /"to:" needs a value directly after it, such as to:ada@example\.com/],
    ['!!! you', /no letter or digit/],
    ['has:att you', /knows only has:attachment/],
    ['after:2026-01 you', /"after:" needs a date/],
    ['event:boun you', /no event "boun"/],
    ['to:you to:@x.test', /"to:" is given twice/],
    ['since: 7d', /such as since:7d/],
    ['after:99999999999d', /"after:" needs a date/],
    ['to:@x.test to:@y.test', /"to:" is given twice/],
    ['to:a@x.test to:@x.test', /"to:" is given twice/],
    ['subject:""', /"subject:" is empty/],
    ['""', /marks are empty/],
    ['event:exploded', /no event "exploded".*bounced/],
    ['status:unsubscribed', /no status "unsubscribed".*canceled, waiting$/],
    ['event:bounced,,opened', /"bounced,,opened" has a comma without a name/],
    ['after:soon', /"after:" needs a date/],
    ['after:2026-02-30', /"after:" needs a date/],
    ['to:a@x.test to:b@x.test', /"to:" is given twice/],
    ['id:4711', /not the id/],
    ['x'.repeat(1_001), /1000 characters/],
  ]
  for (const [text, message] of errors) {
    test(`"${text.slice(0, 40)}" cannot be understood`, () => {
      assert.throws(
        () => parseEmailQuery(text, CLOCK),
        (error) => error instanceof OperateError && error.code === 'invalid' && message.test(error.message),
      )
    })
  }

  const whileTyped: [text: string, search: EmailSearch][] = [
    ['to:ada@x.test after:2026-1', { to: 'ada@x.test' }],
    ['"', {}],
    ['"wel', { anyWords: ['wel'], anyWordsOpen: true }],
    ['subject:"welcome ab', { words: ['welcome ab'] }],
    ['!!!', {}],
    ['you@', { anyWords: ['you@'] }],
    ['you@ex', { anyWords: ['you@ex'], anyWordsOpen: true }],
    ['@', {}],
    ['@ex', { anyWords: ['@ex'], anyWordsOpen: true }],
    ['invoice to:', { anyWords: ['invoice'] }],
    ['to:you', { toPart: 'you' }],
    ['to:@', { toPart: '@' }],
    ['to:you@ex', { toPart: 'you@ex' }],
    ['to:@no_domain', { toPart: '@no_domain' }],
    ['event:', {}],
    ['event:deliv', { hadEvents: ['delivered', 'delivery_delayed'] }],
    ['event:bounced,', { hadEvents: ['bounced'] }],
    ['event:bounced,comp', { hadEvents: ['bounced', 'complained'] }],
    ['status:', {}],
    ['status:pau', { statuses: ['paused'] }],
    ['status:held,waiti', { statuses: ['held', 'waiting'] }],
    ['has:att', { attachments: true }],
    ['after:2026-0', {}],
    ['after:2026-01-31T1', {}],
    ['before:7', {}],
    ['after:yes', {}],
    ['id:019a9b2c', {}],
    ['http://example.com', { anyWords: ['http://example.com'], anyWordsOpen: true }],
  ]
  for (const [text, search] of whileTyped) {
    test(`"${text}" may be unfinished`, () =>
      assert.deepEqual(parseEmailQuery(text, CLOCK, { typing: true }), { kind: 'search', search }))
  }

  const unfinished: [text: string, message: RegExp][] = [
    ['to:ada@x.test after:2026-1', /"after:" needs a date.*"2026-1" is none/],
    ['to:ada@x.test before:7', /"before:" needs a date/],
    ['status:held after:yes', /"after:" needs a date/],
    ['status:held to:', /"to:" needs a value/],
    ['to:@', /"@" has no letter or digit/],
    ['status:held id:019a9b2c', /"019a9b2c" is not the id/],
    ['invoice event:', /"event:" needs a value/],
    ['event:deliv', /no event "deliv"/],
    ['event:bounced,', /"bounced," has a comma without a name/],
    ['event:bounced,comp', /no event "comp"/],
    ['status:waiti', /no status "waiti"/],
    ['has:att', /knows only has:attachment/],
    ['subject:"', /"subject:" is empty/],
    ['"', /marks are empty/],
    ['!!!', /"!!!" has no letter or digit/],
  ]
  for (const [text, message] of unfinished) {
    test(`"${text}" is refused unless it is still being typed`, () => {
      parseEmailQuery(text, CLOCK, { typing: true })
      assert.throws(() => parseEmailQuery(text, CLOCK), { code: 'invalid', message })
    })
  }

  test('no beginning of a typed search is an error', () => {
    const whole =
      'to:you@example.com subject:"welcome aboard" event:bounced,opened status:held,retrying tag:kind:receipt has:attachment '
    const query = `${whole}after:2026-01-31T12:30 before:yesterday you@example.com "order 4711" id:${ID}`
    for (let end = 0; end <= query.length; end++)
      parseEmailQuery(query.slice(0, end), CLOCK, { typing: true })
  })

  test('names of properties that every object has are not events', () => {
    for (const word of ['constructor', '__proto__', 'toString', 'valueOf']) {
      assert.throws(() => parseEmailQuery(`event:${word}`, CLOCK), OperateError)
    }
  })

  test('days are in the time zone of the viewer, with daylight saving time', () => {
    const since = (text: string, timeZone: string) => {
      const query = parseEmailQuery(`after:${text}`, { now: NOW, timeZone })
      return query.kind === 'search' ? new Date(query.search.since!).toISOString() : null
    }
    assert.equal(since('2026-01-31', 'Europe/Berlin'), '2026-01-30T23:00:00.000Z')
    assert.equal(since('2026-07-31', 'Europe/Berlin'), '2026-07-30T22:00:00.000Z')
    assert.equal(since('2026-03-29T12:00', 'Europe/Berlin'), '2026-03-29T10:00:00.000Z')
    assert.equal(since('2026-07-31', 'America/St_Johns'), '2026-07-31T02:30:00.000Z')
    assert.equal(since('today', 'Pacific/Auckland'), '2026-11-20T11:00:00.000Z')
    assert.equal(since('yesterday', 'America/New_York'), '2026-11-19T05:00:00.000Z')
    assert.equal(since('2026-01-31T00:00Z', 'Asia/Tokyo'), '2026-01-31T00:00:00.000Z')
  })

  test('any typed text is understood or refused, and never takes long', () => {
    for (const text of [
      '"'.repeat(1_000),
      ':'.repeat(1_000),
      'a:'.repeat(500),
      '\\"'.repeat(500),
      'to:"'.repeat(250),
    ]) {
      try {
        parseEmailQuery(text, CLOCK)
      } catch (error) {
        assert.ok(error instanceof OperateError)
      }
    }
  })
})
