import { LAST_EVENT_TYPES } from '../../src/email/event.ts'
import { parseEmailQuery } from '../../src/operate/email-query.ts'
import { OperateError } from '../../src/operate/error.ts'
import { assert, assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

const CLOCK = { now: Date.UTC(2026, 10, 22, 13, 55, 12, 345), timeZone: 'Europe/Berlin' }
/** Ms on either side of 1970 that a Date can be of (ECMA-262, 21.4.1.1). */
const MAX_TIME = 8.64e15

/** What people type into the list of emails: nothing is looked for that was not typed, and times are times. */
export const emailSearch: FuzzTarget = {
  name: 'email-search',
  about: 'the search of emails in the console',
  seeds: [
    'to:ada@example.com subject:"welcome aboard" event:bounced after:7d invoice',
    'to:@example.com from:shop@ tag:kind:receipt key:"my app" before:2026-01-31T12:00+02:00',
    '019a9b2c-0000-7000-8000-000000000001',
    'id:<019a9b2c-0000-7000-8000-000000000001@mail.test> domain:example.com company:Acme',
    'after:99999999999d before:9999-12-31',
    'event:delayed,spam,opened subject:invo* until:yesterday since:2026-03-29T02:30',
  ],
  tokens: [
    ...words('to: from: subject: tag: event: key: domain: company: after: since: before: until: id: x:'),
    ...words(
      '" "" * , @ @x.test a@x.test today yesterday 7d 99999999999d 1e9d 0000-00-00 9999-12-31T23:59:59',
    ),
    ...words(
      'Z +99:99 opened spam bounced 019a9b2c-0000-7000-8000-000000000001 < > ü 一 \u{1f600} __proto__: \u0000',
    ),
    ' ',
  ],
  run(input) {
    const text = input.toString('utf8')
    const typed = unlessRefused(() => parseEmailQuery(text, CLOCK, { typing: true }), OperateError)
    const read = unlessRefused(() => parseEmailQuery(text, CLOCK), OperateError)
    if (read === undefined) return
    assertSame('a whole search means something else while it is typed', typed, read)
    assertSame('it means something else when it is read again', parseEmailQuery(text, CLOCK), read)
    if (read.kind === 'email') return
    const { words: looked = [], events = [], since, until, ...texts } = read.search
    const plain = Object.values(texts).filter((value) => typeof value === 'string')
    const length = [...looked, ...plain].reduce((sum, each) => sum + each.length, 0)
    // A domain is looked for in ASCII (RFC 3492), which is longer.
    assert(length <= 60 * text.length, 'more is looked for than was typed')
    for (const word of looked) assert(text.includes(word), 'a word that was not typed')
    for (const event of events)
      assert(LAST_EVENT_TYPES.includes(event as never), 'an event that there is not')
    for (const time of [since, until]) {
      assert(time === undefined || (Number.isInteger(time) && Math.abs(time) <= MAX_TIME), 'it is no time')
    }
  },
}
