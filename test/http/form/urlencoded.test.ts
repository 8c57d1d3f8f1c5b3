import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readUrlencoded } from '../../../src/http/form/urlencoded.ts'
import { Fault } from '../../../src/ingress/fault.ts'

const read = (body: string, contentType?: string) =>
  readUrlencoded(Buffer.from(body), 100, contentType).fields

function refusal(body: string): string {
  try {
    read(body)
  } catch (error) {
    assert(error instanceof Fault, String(error))
    return 'detail' in error.reason ? error.reason.detail : error.reason.code
  }
  return assert.fail(`read: ${body}`)
}

describe('an urlencoded form', () => {
  test('decodes to the original, whatever the content', () => {
    const text = fc.string({ unit: 'binary' })
    const field = fc.tuple(text, text).filter(([name, value]) => name !== '' || value !== '')
    fc.assert(
      fc.property(fc.array(field, { maxLength: 10 }), (fields) => {
        assert.deepEqual(read(new URLSearchParams(fields).toString()), fields)
      }),
    )
  })

  test('may have escapes in upper and lower case, and unescaped octets', () => {
    assert.deepEqual(read('a=%c3%bc%C3%BC+ü%2B'), [['a', 'üü ü+']])
    assert.deepEqual(read('a&b=&=c&&d=e=f'), [
      ['a', ''],
      ['b', ''],
      ['', 'c'],
      ['d', 'e=f'],
    ])
  })

  for (const wrong of ['%', 'a%', 'a%4', '%4&1', '%zz', '%4g', '%g4', '%%41', '%\u00c34']) {
    test(`with the escape in "${wrong}" is refused`, () => {
      assert.equal(refusal(`a=${wrong}`), 'unable to parse request: invalid URL escape')
      assert.equal(refusal(`${wrong}=a`), 'unable to parse request: invalid URL escape')
    })
  }

  for (const wrong of ['%ff', '%c3', '%ed%a0%80', '%c0%80', '%f4%90%80%80']) {
    test(`that is not UTF-8 (${wrong}) is refused with the name of the field`, () => {
      assert.match(refusal(`subject=${wrong}`), /^The value of subject is not text in UTF-8/)
    })
  }

  test('is read in the charset that its Content-Type names', () => {
    const type = 'application/x-www-form-urlencoded; charset=iso-8859-1'
    assert.deepEqual(read('a=%fc+%80', type), [['a', 'ü €']])
  })
})
