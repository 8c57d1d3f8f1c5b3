import { DataOctets } from '../../src/submission/data.ts'
import { assertSame, type FuzzTarget, words } from '../target.ts'

/** A message ends at the same octet however it is cut on its way, and nowhere else. The first octet says how. */
export const smtpData: FuzzTarget = {
  name: 'smtp-data',
  about: 'octets between DATA and the final dot',
  encoding: 'latin1',
  seeds: [
    '1Subject: x\r\n\r\nx\r\n.\r\nQUIT\r\n',
    '3.\r\n',
    '2..\r\n.x\r\n.\r\n',
    '5x\n.\r\n.\r\n',
    '4x\r.\r\r\n.\r\n',
  ],
  tokens: words('\r \n \r\n . .. \r\n.\r\n \n.\n \r\n.\n \n.\r\n \r.\r \0 \xff'),
  run(input) {
    const [cut = 1] = input
    const octets = input.subarray(1)
    const whole = read(octets, octets.length || 1)
    assertSame('where a message ends depends on how it was cut', read(octets, (cut % 61) + 1), whole)
    const wire = `\r\n${octets.toString('latin1')}`
    const end = wire.indexOf('\r\n.\r\n')
    assertSame('a message ends elsewhere', whole.end, end < 0 ? null : end + 3)
    if (whole.end === null) return
    const sent = wire.slice(0, end + 2)
    assertSame('an LF alone is not noticed', whole.bareLf, /(?<!\r)\n/.test(sent.slice(2)))
    assertSame('a message is another one', whole.message, undotted(sent).slice(2))
  },
}

/** Without the dots that the client has added (see DataOctets). */
const undotted = (lines: string) => lines.replace(/(\r\n)\.|(\n)\.\./g, (_, crlf, lf) => crlf ?? `${lf}.`)

function read(octets: Buffer, piece: number): { end: number | null; bareLf: boolean; message: string } {
  const data = new DataOctets()
  let message = ''
  for (let at = 0; at < octets.length; at += piece) {
    const taken = data.readPiece(octets.subarray(at, at + piece), (part) => {
      message += part.toString('latin1')
    })
    if (taken !== null) return { end: at + taken, bareLf: data.bareLf, message }
  }
  return { end: null, bareLf: false, message: '' }
}
