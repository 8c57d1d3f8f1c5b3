/** Every category of a refusal has its words: in the console and both dialects, and in the documentation. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CATEGORY_WORDS } from '../../src/email/category-word.ts'
import { classificationOf, lastCategories } from '../../src/email/classification.ts'
import { othersFailed } from '../../src/email/not-attempted.ts'
import { countedRefusal, reasonOf } from '../../src/email/refusal-reason.ts'
import { formEvent } from '../../src/events/notices/form.ts'
import { jsonEvent } from '../../src/events/notices/json.ts'
import { sampleEvent } from '../../src/events/webhooks/sample.ts'
import { BOUNCE_CATEGORIES } from '../../src/mail/reply/category.ts'

const page = readFileSync(new URL('../../docs/architecture/delivery.md', import.meta.url), 'utf8')

/** The row of the category in the table of the page, in parts. */
function documented(category: string): string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${category}\` |`))
  assert.ok(row, `docs/architecture/delivery.md explains ${category}`)
  return row.split('|').map((part) => part.trim())
}

for (const category of BOUNCE_CATEGORIES) {
  test(`${category} has its words, the same as the documentation says`, () => {
    const { word, about } = CATEGORY_WORDS[category]
    assert.match(about, /^[A-Z].*\.$/)
    assert.ok(word.length <= 20, word)
    const sample = sampleEvent('bounced', 'company', 'acme.test', Date.now())
    const permanent = ['address_unknown', 'domain_unknown', 'no_mail_accepted'].includes(category)
    const event = { ...sample.event, detail: { ...sample.event.detail, category, permanent } }
    const bounce = jsonEvent({ ...sample, event })!.data.bounce as Record<string, string>
    const form = formEvent({ ...sample, event }, 'https://mail.test')!
    const status = form['delivery-status'] as Record<string, unknown>
    assert.equal(status['bounce-type'], permanent ? 'hard' : 'soft')
    assert.equal(form.severity, 'permanent')
    const kind = bounce.type === bounce.subType ? bounce.type : `${bounce.type}, \`${bounce.subType}\``
    assert.equal(documented(category)[2], `${kind}; \`${form.reason}\``)
  })
}

test('the documentation explains every category, and no other', () => {
  const table = page.slice(page.indexOf('| Category |'), page.indexOf('- **Order of trust.**'))
  const names = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(names, BOUNCE_CATEGORIES)
})

test('an event from before there were categories has one by its words', () => {
  const gone = { code: 550, enhancedCode: '5.1.1', message: 'User unknown' }
  assert.deepEqual(classificationOf('bounced', gone), { category: 'address_unknown', permanent: true })
  assert.equal(classificationOf('delivery_delayed', gone).permanent, false)
  assert.deepEqual(reasonOf(countedRefusal('bounced', JSON.stringify(gone)).reason), {
    category: 'address_unknown',
    provider: '',
  })
})

test('held mail is counted under the provider whose reply closed its path', () => {
  const reply = 'mx1.olc.protection.outlook.com: 451 4.7.500 Server busy'
  const detail = { message: othersFailed(reply), category: 'rate_limited' }
  assert.deepEqual(reasonOf(countedRefusal('delivery_delayed', JSON.stringify(detail)).reason), {
    category: 'rate_limited',
    provider: 'Outlook.com',
  })
})

test('a recipient has the category of its last refusal, and none after a delivery', () => {
  const detail = { category: 'greylisted', permanent: false } as const
  const full = { category: 'mailbox_full', permanent: false } as const
  const events = [
    { type: 'delivery_delayed', recipient: 0, detail },
    { type: 'delivery_delayed', recipient: 1, detail },
    { type: 'delivered', recipient: 0, detail: {} },
    { type: 'bounced', recipient: 1, detail: full },
  ] as const
  assert.deepEqual([...lastCategories(events)], [[1, 'mailbox_full']])
})
