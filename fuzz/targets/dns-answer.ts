import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, isIP } from 'node:net'
import { Resolver } from '../../src/dns/resolver.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

const HEADER = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
/** Where the records begin, the question behind the header being `x.test`. */
const POINTER = '\xc0\x0c'
const TYPES = ['mx', 'txt', 'cname', 'tlsa', 'addresses', 'names'] as const

let server: Promise<{ socket: Socket; port: number }> | undefined
let answer: Buffer = Buffer.alloc(0)

/**
 * Whatever a DNS server answers, a look-up comes to one of its three ends, and what is found are names, addresses and texts. The input
 * is what follows the question; its first octet chooses the type, the second the flags, the third the count of records.
 */
export const dnsAnswer: FuzzTarget = {
  name: 'dns-answer',
  about: 'answers of DNS servers',
  encoding: 'latin1',
  seeds: [
    `\x00\x00\x01${POINTER}\x00\x0f\x00\x01\x00\x00\x00\x3c\x00\x09\x00\x0a\x04mail${POINTER}`,
    `\x00\x00\x01${POINTER}\x00\x0f\x00\x01\x00\x00\x00\x3c\x00\x03\x00\x00\x00`,
    `\x01\x00\x01${POINTER}\x00\x10\x00\x01\x00\x00\x00\x3c\x00\x04\x03a b`,
    `\x02\x00\x01${POINTER}\x00\x05\x00\x01\x00\x00\x00\x3c\x00\x02${POINTER}`,
    `\x03\x00\x01${POINTER}\x00\x34\x00\x01\x00\x00\x00\x3c\x00\x05\x03\x01\x01\xaa\xbb`,
    `\x04\x00\x01${POINTER}\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc0\x00\x02\x01`,
    '\x00\x03\x00',
    '\x00\x02\x00',
  ],
  tokens: [
    ...words(
      '\x00 \x00\x0f \x00\x10 \x00\x05 \x00\x01 \xff\xff \x04mail \x3f \xc0 \xc0\x00 . \\',
      '\x00\x00\x00\x3c \x07\x00a.b\n\xff',
    ),
    POINTER,
  ],
  async run(input) {
    server ??= listen()
    const { port } = await server
    answer = input
    const resolver = new Resolver({ servers: [`127.0.0.1:${port}`], timeout: 250, tries: 1 })
    const type = TYPES[(input[0] ?? 0) % TYPES.length]!
    const found = await resolver[type](type === 'names' ? '192.0.2.1' : 'x.test')
    if (found.kind !== 'found') {
      assert(typeof found.reason === 'string' && found.reason !== '', 'a failure without a reason')
      return
    }
    for (const record of found.records) {
      if (typeof record === 'string') assert(type === 'txt' || !/\s/.test(record), 'a name with a blank')
      else if ('address' in record) assert(isIP(record.address) === record.family, 'no address')
      else if ('data' in record) assert(Buffer.isBuffer(record.data), 'no TLSA record')
      else assert(!/\s/.test(record.exchange) && Number.isInteger(record.preference), 'no MX record')
    }
  },
  async close() {
    const listening = await server
    server = undefined
    listening?.socket.close()
  },
}

async function listen(): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const head = Buffer.from(HEADER)
    query.copy(head, 0, 0, 2)
    head[3] = 0x80 | ((answer[1] ?? 0) & 0x0f)
    head[2] = 0x81 | ((answer[1] ?? 0) & 0x02)
    head[7] = answer[2] ?? 0
    // The question ends with its type and class, behind the empty label.
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    socket.send(Buffer.concat([head, question, answer.subarray(3, 1_400)]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { socket, port: (socket.address() as AddressInfo).port }
}
