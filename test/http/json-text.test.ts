/** The position of the first JSON error in a text, compared with JSON.parse. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { jsonFault as faultOf } from '../../src/ingress/json-text/parse.ts'

const jsonFault = (text: string) => faultOf(Buffer.from(text))

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('jsonFault', () => {
  test('finds nothing in texts that JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        assert.equal(jsonFault(JSON.stringify(JSON.parse(json), null, indent)), null)
      }),
    )
  })

  test('agrees with JSON.parse about broken texts', () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat(2),
      insert: fc.string({ maxLength: 2, unit: fc.constantFrom(...'{}[],:"\\u0019eE.-+tfn \n\u0001\u00fc') }),
    })
    fc.assert(
      fc.property(fc.json(), change, (json, { at, remove, insert }) => {
        const place = at % (json.length + 1)
        const text = json.slice(0, place) + insert + json.slice(place + remove)
        assert.equal(jsonFault(text) === null, parses(text), JSON.stringify(text))
      }),
      { numRuns: 2_000 },
    )
  })

  const places: [text: string, fault: string][] = [
    ['', 'unexpected end at line 1, column 1'],
    ['{', 'unexpected end at line 1, column 2'],
    ['{"a":1,}', "unexpected '}' at line 1, column 8"],
    ['[1,]', "unexpected ']' at line 1, column 4"],
    ['{"a" 1}', "unexpected '1' at line 1, column 6"],
    ["{'a':1}", "unexpected ''' at line 1, column 2"],
    ['{"a":1}\n  x', "unexpected 'x' at line 2, column 3"],
    ['{\n  "a": tru\n}', "unexpected 't' at line 2, column 8"],
    ['["a\nb"]', 'unexpected U+000A at line 1, column 4'],
    ['["\\x"]', "unexpected '\\' at line 1, column 3"],
    ['["\\u12"]', "unexpected '\\' at line 1, column 3"],
    ['[01]', "unexpected '1' at line 1, column 3"],
    ['[1.]', "unexpected '.' at line 1, column 3"],
    ['"abc', 'unexpected end at line 1, column 5'],
    ['[\u{1f389}]', "unexpected '\u{1f389}' at line 1, column 2"],
  ]
  for (const [text, fault] of places) {
    test(`${JSON.stringify(text)}: ${fault}`, () => assert.equal(jsonFault(text), fault))
  }
})
