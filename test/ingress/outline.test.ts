import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outlineBody } from '../../src/ingress/request-log/outline.ts'

const TYPE = 'multipart/form-data; boundary=x'

function part(head: string, value: string): string {
  return `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
}

test('a form with files: the first line of each field, and of a file its kind alone', () => {
  const body = [
    part('name="from"', 'a@acme.test'),
    part('name="to"', 'b@x.test'),
    part('name="to"', 'c@x.test\r\nsecond line'),
    part('name="text"', 'secret'),
    part('name="attachment"; filename="a.txt"', 'secret'),
    '--x--\r\n',
  ].join('')
  assert.deepEqual(JSON.parse(outlineBody(Buffer.from(body), TYPE)!), {
    from: 'a@acme.test',
    to: ['b@x.test', 'c@x.test'],
    text: '[6 characters]',
    attachment: '[8 characters]',
  })
})

test('a number in a field that is not shown is hidden, too', () => {
  const body = JSON.stringify({ from: 'a@acme.test', password: 12_345_678, limit: 5, nested: { pin: 1 } })
  assert.deepEqual(JSON.parse(outlineBody(Buffer.from(body), 'application/json')!), {
    from: 'a@acme.test',
    password: '[number]',
    limit: 5,
    nested: '[1 fields]',
  })
})

test('fields in one head share its value, and without the end of a head there is none', () => {
  const heads = ['from', 'to'].map((name) => `content-disposition: form-data; name="${name}"\r\n`).join('')
  const outlined = (body: string) => JSON.parse(outlineBody(Buffer.from(body), TYPE)!) as object
  assert.deepEqual(outlined(`${heads}\r\nv@x.test\r\n`), { from: 'v@x.test', to: 'v@x.test' })
  assert.deepEqual(outlined(heads), { from: '', to: '' })
})

for (const [what, piece] of [
  ['separators of lines that HTTP does not know', '\u2028content-disposition:form-data;'],
  ['names without an end', `content-disposition:form-data;${' a name="'.repeat(100)}`],
  ['heads that do not end', 'content-disposition:form-data; name="a"\r\n'],
  ['empty lines', '\r\n'],
] as const) {
  test(`eight times the form takes at most about eight times the work: ${what}`, () => {
    const form = (octets: number) => Buffer.from(piece.repeat(Math.ceil(octets / Buffer.byteLength(piece))))
    const [small, large] = [form(8_192), form(65_536)]
    const timeOf = (body: Buffer) => {
      const begun = process.cpuUsage()
      outlineBody(body, TYPE)
      const { user, system } = process.cpuUsage(begun)
      return user + system
    }
    const least = (body: Buffer) => Math.min(...Array.from({ length: 7 }, () => timeOf(body)))
    const [once, eightfold] = [least(small), least(large)]
    // Quadratic work would take 64 times as long. Half a millisecond is for what is done once.
    assert.ok(eightfold <= 24 * (once + 500), `${once} became ${eightfold} microseconds`)
  })
}
