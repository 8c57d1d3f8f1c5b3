/** Reads the greeting of an SMTP server (RFC 5321 4.3.1) without starting a mail transaction. */
import { connect } from 'node:net'
import type { AddressGuard } from '../../network/private-address.ts'

/** Ms. RFC 5321 4.5.3.2.1 gives servers five minutes, but here a person is waiting. */
const WITHIN = 10_000
/** RFC 5321 4.5.3.1.5: octets of a reply line. */
const LONGEST = 512

export class GreetingError extends Error {
  override name = 'GreetingError'
}

/** The first line of the greeting. Rejects with GreetingError. */
export async function greeting(address: string, port: number, guard: AddressGuard): Promise<string> {
  const refused = guard(address)
  if (refused !== null) throw new GreetingError(refused)
  const socket = connect({ host: address, port, noDelay: true })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (why: string) => reject(new GreetingError(why))
  const late = setTimeout(() => fail(`no answer within ${WITHIN / 1000} seconds`), WITHIN)
  let line = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    line = (line + text).slice(0, LONGEST)
    const end = line.search(/[\r\n]/)
    if (end >= 0 || line.length === LONGEST) resolve(line.slice(0, end < 0 ? LONGEST : end))
  })
  socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
  socket.on('end', () => fail('the server closed the connection without a greeting'))
  try {
    return await promise
  } finally {
    clearTimeout(late)
    socket.destroy()
  }
}
