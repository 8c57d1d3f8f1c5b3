/** Filter expressions of the events API: what they match, what of them an index can serve, and what is none. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { alternatives, fits, parseExpression, required } from '../../../src/http/form/log/expression.ts'
import { Refusal } from '../../../src/intake/refusal.ts'

const parse = (text: string) => parseExpression('subject', text)

/** Whether an expression fits a text by the words in it, or a number. */
function matches(text: string, value: string | number): boolean {
  const lower = String(value).toLowerCase()
  const number = typeof value === 'number' ? { number: value } : {}
  return fits(parse(text), { matches: (term) => lower.includes(term), ...number })
}

describe('a filter expression', () => {
  test('matches what its words, phrases and operators say', () => {
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

  test('says what an index can serve of it', () => {
    assert.deepEqual(alternatives(parse('Delivered OR (opened OR failed)')), [
      'delivered',
      'opened',
      'failed',
    ])
    assert.equal(alternatives(parse('a OR NOT b')), null)
    assert.equal(alternatives(parse('a b')), null)
    assert.equal(required(parse('(a OR b) AND c')), 'c')
    assert.equal(required(parse('a OR b')), null)
    assert.equal(required(parse('NOT a')), null)
  })

  test('is refused when it is none, with what is wrong', () => {
    const cases: [expression: string, why: RegExp][] = [
      ['', /missing/],
      ['a OR', /missing/],
      ['(a', /not closed/],
      ['a)', /not opened/],
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

  test('takes time in proportion to its length, whatever it holds', () => {
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
