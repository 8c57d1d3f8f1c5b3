import { EVENT_TYPES, type EventType } from '../../src/email/event.ts'
import { FORM_WORDS } from '../../src/events/notices/form.ts'
import { type EventObject, FILTERS } from '../../src/http/form/log/fields.ts'
import { type EventQuery, readQuery } from '../../src/http/form/log/query.ts'
import { Refusal } from '../../src/intake/refusal.ts'
import { assert, type FuzzTarget, unlessRefused, words } from '../target.ts'

const NAMES = [...FILTERS, 'begin', 'end', 'ascending'] as const

/** Filters by their name in the query; a line each. */
function queryOf(text: string): EventQuery {
  const query: EventQuery = {}
  for (const line of text.split('\n')) {
    const equals = line.indexOf('=')
    const name = NAMES.find((each) => each === line.slice(0, equals))
    if (name !== undefined) query[name] = line.slice(equals + 1)
  }
  return query
}

interface Sample {
  type: EventType
  recipient: string
  tags: readonly { name: string; value: string }[]
  shown: EventObject
}

const RECIPIENTS = ['a@x.test', 'İ@x.test', 'and@or.not']
const TAGS = [
  [],
  [{ name: 'tag', value: 'a' }],
  [
    { name: 'kind', value: 'b:c' },
    { name: 'tag', value: 'OR' },
  ],
] as const

const SAMPLES: readonly Sample[] = EVENT_TYPES.flatMap((type) => {
  const word = FORM_WORDS[type]
  if (word === null) return []
  return RECIPIENTS.map((recipient, index) => {
    const tags = TAGS[index]!
    const headers = {
      to: recipient,
      from: 'Me <me@y.test>',
      subject: `About ${type}`,
      'message-id': '1@y.test',
    }
    const message = {
      headers,
      attachments: [{ filename: 'a.txt' }],
      recipients: [recipient],
      size: 100 * index,
    }
    const shownTags = tags.map(({ name, value }) => (name === 'tag' ? value : `${name}:${value}`))
    return { type, recipient, tags, shown: { ...word, recipient, tags: shownTags, message } }
  })
})

/** Expressions of the events API: what an index is asked for is never less than what fits. */
export const eventFilter: FuzzTarget = {
  name: 'event-filter',
  about: 'filter expressions of GET /v3/{domain}/events',
  seeds: [
    'event=delivered OR failed\nseverity=permanent\nrecipient=a@x.test',
    'subject="about delivered" AND NOT (opened OR "x \\" y")\nsize=>50 <300',
    'tags=a OR kind:b:c\nto=a NOT b\nfrom=me@y.test\nattachment=a.txt\nmessage-id=1@y.test',
    'event=NOT accepted\nrecipient=(a@x.test)\ntags=NOT a\nbegin=Mon, 23 Nov 2026 12:00:00 GMT\nend=1795435200\nascending=no',
  ],
  tokens: [
    ...FILTERS.map((name) => `\n${name}=`),
    ...words('( ) " \\ \\" AND OR NOT < > -1 0.5 99999999999999999999 delivered failed accepted permanent'),
    ...words('temporary a@x.test İ@x.test kind: b:c a b ü 一 \u{1f600} ((((((((((((((((((((( NOT'),
    ' NOT NOT NOT NOT ',
    '\nbegin=',
    '\nend=',
    ' ',
  ],
  run(input) {
    const wanted = unlessRefused(() => readQuery(queryOf(input.toString('utf8'))), Refusal)
    if (wanted === undefined) return
    const { filter } = wanted
    for (const { type, recipient, tags, shown } of SAMPLES) {
      if (!wanted.fits(shown)) continue
      assert(filter.types.includes(type), `an index is not asked for ${type}, which fits`)
      const { recipient: only, tags: some } = filter
      assert(
        only === undefined || only === recipient.toLowerCase(),
        'an index is not asked for a recipient who fits',
      )
      const tagged = some?.some(({ name, value }) => {
        return tags.some((tag) => {
          const same = (one: string, other: string | undefined) => one.toLowerCase() === other?.toLowerCase()
          return same(tag.name, name) && (value === undefined || same(tag.value, value))
        })
      })
      assert(tagged !== false, 'an index is not asked for a tag that fits')
    }
    for (const at of [filter.since, filter.until]) {
      assert(at === undefined || Number.isFinite(new Date(at).getTime()), 'it is no time')
    }
  },
}
