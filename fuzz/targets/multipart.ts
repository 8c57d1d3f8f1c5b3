import { readMultipart } from '../../src/http/form/multipart.ts'
import { Fault } from '../../src/ingress/fault.ts'
import type { Form } from '../../src/ingress/message-form/form.ts'
import { assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

const BOUNDARY = 'b0undary'
/** What nearly is a delimiter. */
const NEARLY = BOUNDARY.slice(0, -1)
/** Of what is written again; in no value, whatever its charset. */
const AGAIN = 'written-again'

/** What was read of a form, written as a form again, is read as the same. */
export const multipart: FuzzTarget = {
  name: 'multipart',
  about: 'multipart/form-data bodies',
  encoding: 'latin1',
  seeds: [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="to"\r\n\r\na@x.test\r\n--${BOUNDARY}--\r\n`,
    `preamble\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="attachment"; filename="a.txt"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nfile\r\n--${BOUNDARY}  \r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n--${BOUNDARY}--`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="message"; filename*=utf-8''m%C3%A4.eml\r\n\r\n--${NEARLY}\r\n--${BOUNDARY}--`,
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
    const read = form(input)
    if (read !== undefined)
      assertSame('a form changes when it is written again', form(written(read), AGAIN), read)
  },
}

function form(octets: Buffer, boundary = BOUNDARY): Form | undefined {
  return unlessRefused(() => readMultipart(octets, `multipart/form-data; boundary=${boundary}`, 50), Fault)
}

function written({ fields, files }: Form): Buffer {
  const parts = [
    ...fields.map(([name, value]) => part(`name*=${extended(name)}`, Buffer.from(value))),
    ...files.map(({ field, filename, contentType, content }) => {
      const named = filename === undefined ? '' : `; filename*=${extended(filename)}`
      const type = contentType === undefined ? '' : `\r\nContent-Type: ${contentType}`
      return part(`name*=${extended(field)}${named}${type}`, content)
    }),
  ]
  return Buffer.concat([...parts, Buffer.from(`--${AGAIN}--`)])
}

function part(disposition: string, content: Buffer): Buffer {
  const head = `--${AGAIN}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}

/** RFC 5987 3.2. */
function extended(text: string): string {
  return `utf-8''${Buffer.from(text).toString('hex').replace(/../g, '%$&')}`
}
