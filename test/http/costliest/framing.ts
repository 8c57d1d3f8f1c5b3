/** The costliest framing of requests, whatever the route: octets that cause much work before a request is read. */
import { once } from 'node:events'
import net from 'node:net'
import { TlsRecords } from '../../../harness/tls-records.ts'

export interface Target {
  port: number
  token: string
}

interface Framing {
  name: string
  /** The server refuses or accepts it with an answer; for others it is unclear where an answer would belong. */
  isAnswered: boolean
  /** Resolves with what was answered when all connections are over. */
  run(target: Target): Promise<string>
}

/** Connections at once. */
const CONNECTIONS = 40
/** Ms after which an open connection is left, and one that should get an answer. */
const PATIENCE = 1_500
const PATIENCE_FOR_ANSWER = 60_000

function head({ token }: Target, more = ''): string {
  return `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close\r\n${more}\r\n`
}
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const DUST = '1\r\nx\r\n'.repeat(100_000)
const GET = 'GET /emails/1 HTTP/1.1\r\nHost: x\r\n'

const WRITTEN: Readonly<Record<string, (target: Target) => string>> = {
  'a body in chunks of one octet': (target) => head(target, CHUNKED) + DUST,
  'the same without a key': (target) => head({ ...target, token: '' }, CHUNKED) + DUST,
  'the same where there is no route': (target) => head(target, CHUNKED).replace('/emails', '/nowhere') + DUST,
  'chunks with extensions': (target) => head(target, CHUNKED) + '1;aaaaaaaa=b\r\nx\r\n'.repeat(40_000),
  'chunks that are just not too small': (target) =>
    [head(target, CHUNKED), `10\r\n${'x'.repeat(16)}\r\n`.repeat(40_000), '0\r\n\r\n'].join(''),
  'heads behind heads': () => `${GET}\r\n`.repeat(30_000),
  'heads of thousands of fields': () => `${GET}${'a:\r\n'.repeat(1_900)}\r\n`.repeat(100),
  'fields of one name': () => `${GET}${'accept: a\r\n'.repeat(1_400)}\r\n`.repeat(16),
  'line ends before a head': () => '\r\n'.repeat(300_000),
}

/** The connection ends with the first that is too many, or waits for more. */
const ENDED = new Set([
  'heads behind heads',
  'heads of thousands of fields',
  'fields of one name',
  'line ends before a head',
])

export const FRAMINGS: readonly Framing[] = [
  ...Object.entries(WRITTEN).map(([name, write]) => ({
    name,
    isAnswered: !ENDED.has(name),
    run: async (target: Target) => {
      const octets = Buffer.from(write(target), 'latin1')
      const patience = ENDED.has(name) ? PATIENCE : PATIENCE_FOR_ANSWER
      const all = Array.from({ length: CONNECTIONS }, () => written(target, [octets], { patience }))
      return counted(await Promise.all(all))
    },
  })),
  {
    name: 'a body in segments of one octet',
    isAnswered: true,
    run: async (target) => {
      const begin = Buffer.from(head(target, 'Content-Length: 3000\r\n'))
      const octets = [begin, ...Array.from({ length: 3_000 }, () => Buffer.from(' '))]
      const patience = PATIENCE_FOR_ANSWER
      const all = Array.from({ length: CONNECTIONS }, () => written(target, octets, { patience }))
      return counted(await Promise.all(all))
    },
  },
]

/** KeyUpdates (RFC 8446 4.6.3) of each connection, and octets of it in records of their own. */
const KEY_UPDATES = 1_200
const SINGLE_OCTETS = 4_000

interface TlsTarget extends Target {
  /** Where TLS begins with the first octet, and where with STARTTLS. */
  smtps: number
  smtp: number
}

/** Of each connection: where it goes, and what it writes once it speaks TLS. */
const TLS_WRITTEN: Readonly<
  Record<string, { at: 'port' | 'smtps' | 'smtp'; write(records: TlsRecords, target: TlsTarget): Buffer }>
> = {
  'new keys with each record': { at: 'port', write: (records) => records.keyUpdates(KEY_UPDATES) },
  'a body in records of one octet': {
    at: 'port',
    write: (records, target) => {
      const begin = records.data(head(target, `Content-Length: ${SINGLE_OCTETS}\r\n`))
      return Buffer.concat([begin, records.data(' '.repeat(SINGLE_OCTETS), 1)])
    },
  },
  'the same without a key': {
    at: 'port',
    write: (records, target) => {
      const begin = records.data(head({ ...target, token: '' }, `Content-Length: ${SINGLE_OCTETS}\r\n`))
      return Buffer.concat([begin, records.data(' '.repeat(SINGLE_OCTETS), 1)])
    },
  },
  'a head in records of one octet': {
    at: 'port',
    write: (records) => records.data(`${GET}a: ${'a'.repeat(SINGLE_OCTETS)}\r\n`, 1),
  },
  'new keys with each record of SMTP': {
    at: 'smtps',
    write: (records) => records.keyUpdates(KEY_UPDATES),
  },
  'new keys with each record behind STARTTLS': {
    at: 'smtp',
    write: (records) => records.keyUpdates(KEY_UPDATES),
  },
  'commands in records of one octet': {
    at: 'smtps',
    write: (records) => records.data('RSET\r\n'.repeat(SINGLE_OCTETS / 6), 1),
  },
}

/** The same over TLS, in the forms that its records allow. The answer is not read. */
export const TLS_FRAMINGS = Object.entries(TLS_WRITTEN).map(([name, { at, write }]) => ({
  name: `TLS: ${name}`,
  run: async (target: TlsTarget): Promise<string> => {
    const all = await Promise.all(
      Array.from({ length: CONNECTIONS / 4 }, async () => {
        const socket = net.connect({ port: target[at], host: '127.0.0.1', noDelay: true })
        if (at === 'smtp') await startTls(socket)
        return await TlsRecords.connect(target[at], socket)
      }),
    )
    const closed = all.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)))
    // All of it is made before any is sent.
    const octets = all.map((records) => write(records, target))
    for (const [index, { socket }] of all.entries()) socket.write(octets[index]!)
    const cut = setTimeout(() => {
      for (const { socket } of all) socket.destroy()
    }, PATIENCE)
    await Promise.all(closed)
    clearTimeout(cut)
    return `${all.length} connections`
  },
}))

async function startTls(socket: net.Socket): Promise<void> {
  await once(socket, 'data')
  for (const line of ['EHLO x', 'STARTTLS']) {
    socket.write(`${line}\r\n`)
    await once(socket, 'data')
  }
}

export function counted(statuses: string[]): string {
  const groups = Map.groupBy(statuses, (status) => status)
  return [...groups].map(([status, all]) => `${status}: ${all.length}`).join(', ')
}

/**
 * Writes them, each in a segment of its own. Resolves with the first status, or how the connection came to its end;
 * `tail`: with a status in the last octets that were heard.
 */
export function written(
  { port }: Target,
  segments: Buffer[],
  { answer = /^HTTP\/1\.1 (\d+)/, patience = PATIENCE, tail = false } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    let heard = ''
    const left = setTimeout(() => socket.destroy(), patience)
    socket.on('connect', async () => {
      for (const segment of segments) {
        socket.write(segment)
        if (segments.length > 1) await new Promise(setImmediate)
      }
    })
    socket.on('data', (chunk) => {
      if (tail) heard = (heard + chunk.toString('latin1')).slice(-200)
      else if (heard.length < 100) heard += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(left)
      resolve(answer.exec(heard)?.[1] ?? 'no answer')
    })
  })
}
