import { Fault } from '../../src/http/fault.ts'
import type { Form } from '../../src/http/form/form.ts'
import { MultipartReader } from '../../src/http/form/multipart.ts'
import { assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

const BOUNDARY = 'b0undary'
/** What nearly is a delimiter. */
const NEARLY = BOUNDARY.slice(0, -1)

const MOST_PIECES = 4_096

/** A form is the same however its octets are cut on their way. The first octet says how. */
export const multipart: FuzzTarget = {
  name: 'multipart',
  about: 'multipart/form-data bodies',
  encoding: 'latin1',
  seeds: [
    `1--${BOUNDARY}\r\nContent-Disposition: form-data; name="to"\r\n\r\na@x.test\r\n--${BOUNDARY}--\r\n`,
    `7preamble\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="attachment"; filename="a.txt"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nfile\r\n--${BOUNDARY}  \r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n--${BOUNDARY}--`,
    `3--${BOUNDARY}\r\nContent-Disposition: form-data; name="message"; filename*=utf-8''m%C3%A4.eml\r\n\r\n--${NEARLY}\r\n--${BOUNDARY}--`,
  ],
  tokens: [
    ...words('\r\n \r \n -- \r\n\r\n name=" filename=" filename*=utf-8\'\' %C3 " \\ ; charset= \0 \xff \t'),
    `--${BOUNDARY}`,
    `\r\n--${BOUNDARY}\r\n`,
    `\r\n--${BOUNDARY}--`,
    'Content-Disposition: form-data; ',
    'Content-Type: ',
    'Content-Transfer-Encoding: base64',
    ' ',
    `\r\n--${NEARLY}`,
  ],
  run(input) {
    const [cut = 1] = input
    const octets = input.subarray(1)
    const whole = form(octets, octets.length || 1)
    // A head is put together anew with each piece: so many pieces at most, or the time measured is that of cutting.
    const piece = Math.max((cut % 61) + 1, Math.ceil(octets.length / MOST_PIECES))
    assertSame('the form depends on how it was cut', form(octets, piece), whole)
  },
}

function form(octets: Buffer, piece: number): Form | undefined {
  return unlessRefused(() => {
    const reader = new MultipartReader(BOUNDARY, 50)
    for (let at = 0; at < octets.length; at += piece)
      reader.push(Buffer.from(octets.subarray(at, at + piece)))
    return reader.end()
  }, Fault)
}
