/** The multipart reader returns every octet of a part, with work in proportion to the form. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readMultipart } from '../../../src/http/form/multipart.ts'
import { readPartHead } from '../../../src/http/form/part-head.ts'
import { Fault } from '../../../src/ingress/fault.ts'
import { multipartBody } from '../requests.ts'

/** Octets that look like what separates parts, as often as not. */
const content = fc
  .array(
    fc.oneof(
      fc
        .constantFrom('\r\n', '\r', '\n', '--', '----x', '\r\n----', '\r\n---', '-', '\r\n\r\n')
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((octets) => Buffer.from(octets)),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Buffer.concat(pieces))
  // The delimiter itself must not occur in a part: choosing it so is the client's duty (RFC 2046 5.1.1).
  .filter(
    (octets) =>
      !Buffer.concat([Buffer.from('\r\n'), octets, Buffer.from('\r\n----x')])
        .subarray(0, -1)
        .includes('\r\n----x'),
  )

const read = (body: string) => readMultipart(Buffer.from(body), 'multipart/form-data; boundary=x', 10)

describe('readMultipart', () => {
  test('returns every part, octet by octet, whatever surrounds them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ name: fc.constantFrom('attachment', 'x', 'message'), content }), {
          maxLength: 6,
        }),
        fc.constantFrom('', 'preamble', '--\r\n', '\r\n----\r\n----', '----'),
        fc.constantFrom('', '\r\n', 'epilogue\r\n----x\r\n\r\n'),
        (parts, preamble, epilogue) => {
          const body = multipartBody(
            parts.map((part) => ({ name: part.name, value: part.content, filename: 'f' })),
          )
          const whole = parts.length === 0 ? Buffer.from('----x--') : body
          const before = preamble === '' ? '' : `${preamble}\r\n`
          const octets = Buffer.concat([Buffer.from(before), whole, Buffer.from(epilogue)])
          const { files } = readMultipart(octets, 'multipart/form-data; boundary=--x', 100)
          assert.deepEqual(
            files.map((file) => [file.field, file.content.toString('hex')]),
            parts.map((part) => [part.name, part.content.toString('hex')]),
          )
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('a delimiter counts only at the beginning of a line', () => {
    const { fields } = read('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb--x--\r\n--x--')
    assert.deepEqual(fields, [['a', 'b--x--']])
  })
})

describe('everything around the content of a form is bounded', () => {
  const bound = 16 * 1024
  const part = 'Content-Disposition: form-data; name="a"\r\n'
  const endless: [what: string, before: string, repeated: string, message: RegExp][] = [
    ['a head line', '--x\r\nX: ', 'a', /^.*: the head of part 1 is over 16384 octets$/],
    ['a head of many lines', `--x\r\n${part}`, 'X: a\r\n', /the head of part 1 is over 16384 octets$/],
    ['a head of line breaks', '--x\r\nX', '\r', /the head of part 1 is over 16384 octets$/],
    ['the head of a later part', `--x\r\n${part}\r\nb\r\n--x\r\n`, 'a', /the head of part 2 is over 16384/],
    ['blanks behind a boundary', '--x', ' \t', /the line of a boundary is too long$/],
  ]
  for (const [what, before, repeated, message] of endless) {
    for (const size of [2 * bound, 1_000_000]) {
      test(`${what} of ${size} octets`, () => {
        const endless = before + repeated.repeat(size).slice(0, size)
        for (const body of [endless, `${endless}\r\n\r\nb\r\n--x--`]) {
          assert.throws(
            () => read(body),
            (error) => {
              assert.ok(error instanceof Fault && 'detail' in error.reason)
              assert.match(error.reason.detail, message)
              return true
            },
          )
        }
      })
    }
  }

  for (const cut of [0, 1, 3, 4, 5, 6, 20, 47, 48, 49, 50, 52, 55, 56]) {
    test(`a form that ends after ${cut} octets is refused`, () => {
      const body = `--x\r\n${part}\r\nb\r\n--x--`
      assert.deepEqual(read(body).fields, [['a', 'b']])
      assert.throws(() => read(body.slice(0, cut)), /it ends before its closing boundary/)
    })
  }

  test('a head within it is read', () => {
    const head = `${part}X: ${'a'.repeat(bound - part.length - 10)}`
    assert.deepEqual(read(`--x\r\n${head}\r\n\r\nb\r\n--x--`).fields, [['a', 'b']])
  })
})

describe('readPartHead', () => {
  const good: [disposition: string, name: string, filename: string | undefined][] = [
    ['form-data; name="a"', 'a', undefined],
    ['FORM-DATA; NAME=a', 'a', undefined],
    ['form-data;name="a";filename="b.txt"', 'a', 'b.txt'],
    ['form-data ; name = "a" ; filename = b.txt ;', 'a', 'b.txt'],
    ['form-data; name="a\\"b"; filename="c\\\\d\\"e"', 'a"b', 'c\\d"e'],
    ['form-data; name="a"; filename="C:\\temp\\b.txt"', 'a', 'C:\\temp\\b.txt'],
    ['form-data; name="a"; filename="x;y=z.txt"', 'a', 'x;y=z.txt'],
    ['form-data; name="a"; filename=""', 'a', ''],
    ['form-data; name="ü"; filename="ü.txt"', 'ü', 'ü.txt'],
    ['form-data; name="a"; filename="plain"; filename*=UTF-8\'\'%E2%82%AC.txt', 'a', '€.txt'],
    ['form-data; name="a"; filename*=iso-8859-1\'en\'%A3.txt', 'a', '£.txt'],
    ["form-data; name*=utf-8''%C3%BC", 'ü', undefined],
    ['form-data; name="a"; filename=".."', 'a', '..'],
    ['form-data; name="a"; filename="/"', 'a', '/'],
  ]
  for (const [disposition, name, filename] of good) {
    test(disposition, () => {
      const head = readPartHead(
        Buffer.from(`Content-Disposition: ${disposition}\r\ncontent-TYPE: text/x; a=b`),
      )
      assert.deepEqual(head, { name, filename, contentType: 'text/x; a=b' })
    })
  }

  test('a folded header line is one line', () => {
    const head = readPartHead(Buffer.from('Content-Disposition: form-data;\r\n\tname="a";\r\n filename="b"'))
    assert.deepEqual([head.name, head.filename], ['a', 'b'])
  })

  for (const disposition of [
    'form-data; name="a',
    'form-data; name="a" filename="b"',
    'form-data; ="a"',
    'form-data; name="a"; filename*=UTF-16\'\'x',
    'form-data; name="a"; filename*=UTF-8\'\'%ff',
    'form-data; filename="b"',
    'attachment; name="a"',
    '',
  ]) {
    test(`refused: ${disposition}`, () => {
      assert.throws(
        () => readPartHead(Buffer.from(`Content-Disposition: ${disposition}`)),
        /Content-Disposition|UTF-8/,
      )
    })
  }
})
