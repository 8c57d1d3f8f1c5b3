/** Filter expressions of the events API: their matches, the parts that an index can serve, and invalid ones. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  alternatives,
  fits,
  parseExpression,
  requiredTerm,
  termsOf,
} from '../../../src/http/form/log/expression.ts'
import { filterTest } from '../../../src/http/form/log/fields.ts'
import { TermMatcher } from '../../../src/http/form/log/terms.ts'
import { Refusal } from '../../../src/intake/refusal.ts'

const parse = (text: string) => parseExpression('subject', text)

/** Whether an expression fits a text by the words in it, or a number. */
function matches(text: string, value: string | number): boolean {
  const expression = parse(text)
  const lower = String(value).toLowerCase()
  const number = typeof value === 'number' ? { number: value } : {}
  return fits(expression, { matches: new TermMatcher(termsOf(expression)).within([lower]), ...number })
}

describe('a filter expression', () => {
  test('matches by its words, phrases and operators', () => {
    const cases: [expression: string, value: string | number, matches: boolean][] = [
      ['delivered OR opened OR failed', 'opened', true],
      ['delivered OR opened OR failed', 'clicked', false],
      ['weekly letter', 'Letter, weekly', true],
      ['weekly AND letter', 'weekly only', false],
      ['"weekly letter"', 'The weekly letter', true],
      ['"weekly letter"', 'letter weekly', false],
      ['a AND b OR c', 'c', true],
      ['a AND (b OR c)', 'c', false],
      ['NOT spam', 'ham', true],
      ['ham AND NOT spam', 'spam and ham', false],
      ['NOT (spam OR junk)', 'junk', false],
      ['"NOT"', 'not', true],
      ['or', 'for', true],
      ['"say \\"hi\\""', 'they say "hi" to all', true],
      ['>100 <200', 150, true],
      ['<01a2-b@x.test>', '<01a2-b@x.test>', true],
      ['>100 AND <200', 200, false],
    ]
    for (const [expression, value, expected] of cases) {
      assert.equal(matches(expression, value), expected, `${expression} and ${value}`)
    }
  })

  test('shows which parts an index can serve', () => {
    assert.deepEqual(alternatives(parse('Delivered OR (opened OR failed)')), [
      'delivered',
      'opened',
      'failed',
    ])
    assert.equal(alternatives(parse('a OR NOT b')), null)
    assert.equal(alternatives(parse('a b')), null)
    assert.equal(requiredTerm(parse('(a OR b) AND c')), 'c')
    assert.equal(requiredTerm(parse('a OR b')), null)
    assert.equal(requiredTerm(parse('NOT a')), null)
  })

  test('is refused with the reason when it is invalid', () => {
    const cases: [expression: string, why: RegExp][] = [
      ['', /missing/],
      ['a OR', /missing/],
      ['(a', /not closed/],
      ['a)', /no opening bracket/],
      ['"a', /quotation mark/],
      [`${'('.repeat(50)}a`, /deep/],
      ['x'.repeat(3_000), /2000 characters/],
    ]
    for (const [expression, why] of cases) {
      assert.throws(
        () => parse(expression),
        (error) =>
          error instanceof Refusal && error.reason.code === 'field_invalid' && why.test(error.reason.detail),
        expression,
      )
    }
  })

  test('takes time in proportion to its length, whatever its content', () => {
    for (const piece of ['(', ')', '"', 'NOT ', 'a OR ', '<', '\\', 'a ', '" ']) {
      const text = piece.repeat(2_000).slice(0, 2_000)
      try {
        parse(text)
      } catch (error) {
        assert.ok(error instanceof Refusal, piece)
      }
    }
  })
})

describe('terms', () => {
  test('are found together as they would be one by one', () => {
    const seed = Date.now() % 1_000_000
    let state = seed
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((state / 2 ** 31) * below)
    }
    const text = (longest: number) =>
      Array.from({ length: random(longest + 1) }, () => 'abcé'[random(4)]!).join('')
    for (let round = 0; round < 500; round++) {
      const terms = Array.from({ length: 1 + random(8) }, () => text(4))
      const texts = Array.from({ length: random(4) }, () => text(12))
      const found = new TermMatcher(terms).within(texts)
      for (const term of [...terms, 'none']) {
        const expected = term !== 'none' && texts.some((each) => each.includes(term))
        assert.equal(found(term), expected, `${term} in ${texts.join()}, seed ${seed}`)
      }
    }
  })

  test('cost the same however many an expression has, whatever the subject', () => {
    const subject = `${'z'.repeat(250_000)}a`
    const message = { headers: { subject }, attachments: [], recipients: [], size: 1 }
    let units = 0
    const charCodeAt = String.prototype.charCodeAt
    const includes = String.prototype.includes
    const counted = filterTest([['subject', parse('za '.repeat(660))]])
    String.prototype.charCodeAt = function (at: number) {
      units++
      return charCodeAt.call(this, at)
    }
    String.prototype.includes = () => assert.fail('a subject is walked through once')
    try {
      assert.equal(counted({ message }), true)
    } finally {
      String.prototype.charCodeAt = charCodeAt
      String.prototype.includes = includes
    }
    assert.equal(units, subject.length)
  })
})
