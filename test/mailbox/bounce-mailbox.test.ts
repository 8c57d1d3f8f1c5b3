/** The mailbox of a real server (Debian's Dovecot) is read; what becomes of a message is the test's to say. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { selfSigned } from '../../harness/certificate.ts'
import { freePort } from '../../harness/free-port.ts'
import type { ArrivedMail } from '../../src/inbound/arrived-mail.ts'
import { BounceMailbox, type BounceMailboxParts, type MailTurn } from '../../src/mailbox/bounce-mailbox.ts'
import { lastRead } from '../../src/mailbox/last-read.ts'
import { ASIDE, MailboxSession } from '../../src/mailbox/session.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { WorkersBusy } from '../../src/workers/error.ts'
import { Dovecot, HOST } from '../peers/dovecot.ts'
import { missing } from '../peers/jail.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { DAY, node } from '../store/samples.ts'
import { until } from '../support/until.ts'

const skip = missing('dovecot') ?? false
if (skip) process.stderr.write(`NOT TESTED with Dovecot: ${skip}\n`)

const message = (subject: string, body = '') => `Subject: ${subject}\r\n\r\n${body}\r\n`
const subjectOf = (raw: Uint8Array) => /^Subject: (.*)\r$/m.exec(Buffer.from(raw).toString('latin1'))![1]!

describe('the bounce mailbox', { skip }, () => {
  const certificate = selfSigned([HOST], 30, 'rsa')
  let dovecot: Dovecot
  let box = ''
  before(async () => {
    dovecot = await Dovecot.start({ port: await freePort(HOST), tlsPort: await freePort(HOST), certificate })
  })
  after(() => dovecot?.[Symbol.asyncDispose]())

  interface Reading {
    reader: BounceMailbox
    /** Subjects of the messages that were received, in that order. */
    received: string[]
    logged: { level: string; facts: object; message: string }[]
    results: string[]
    store: SqliteStore
  }

  /** A reader of a mailbox of the test's own; `boxes` of several readers are the same with the same `name`. */
  async function read(
    t: TestContext,
    name: string,
    {
      receive,
      putOff = () => false,
      turn = async () => {},
      ...change
    }: Partial<Omit<BounceMailboxParts, 'receive'>> & {
      receive?: (mail: ArrivedMail) => Promise<void>
      /** Whether the message is put off for now. */
      putOff?: (subject: string) => boolean
      turn?: MailTurn
      shared?: SqliteStore
      nodeName?: string
    } = {},
  ): Promise<Reading> {
    box = name
    const { shared, nodeName = 'a', ...parts } = change
    const store =
      shared ?? (await SqliteStore.open(join(temporaryDirectory(t), 'a.db'), { exclusive: false }))
    if (shared === undefined) t.after(() => store.close())
    const token = await store.join(node(nodeName))
    const received: string[] = []
    const results: string[] = []
    const logged: Reading['logged'] = []
    const at = (level: string) => (facts: object, text: string) => {
      logged.push({ level, facts, message: text })
    }
    const reader = await BounceMailbox.open({
      session: { mailbox: dovecot.mailbox(name) },
      store,
      token: () => token,
      async receive(mail) {
        await receive?.(mail)
        const subject = subjectOf(mail.raw)
        received.push(subject)
        return { outcome: 'unproven', putOff: putOff(subject) }
      },
      probe: async () => {},
      retention: 90 * DAY,
      onMessage: (result) => void results.push(result),
      log: { info: at('info'), warn: at('warn'), error: at('error') },
      ...parts,
      waits: { fault: 20, take: 20, ...parts.waits },
    })
    reader.start(turn)
    t.after(() => reader.stop(1_000))
    return { reader, received, logged, results, store }
  }

  const marked = (name = box) => dovecot.flags(name).filter((letters) => letters.includes('S')).length

  test('messages are read and marked, and later ones are read at once', async (t) => {
    dovecot.deliver('told', message('one'))
    dovecot.deliver('told', message('two'))
    // The client does not poll within the test: the server has to report the message (IDLE, RFC 2177).
    const { received, reader, store } = await read(t, 'told', { waits: { poll: 3_600_000 } })
    await until(() => marked() === 2, 'marks on two messages')
    assert.deepEqual(received.toSorted(), ['one', 'two'])
    await until(async () => (await lastRead(store)) !== null, 'the time of the last look')
    dovecot.deliver('told', message('three'))
    await until(() => marked() === 3, 'a mark on the third')
    assert.equal(received.at(-1), 'three')
    assert.equal(reader.state, 'reading')
  })

  test('a message that a person has opened is read all the same; one that was read is not read again', async (t) => {
    dovecot.deliver('opened', message('one'))
    await using session = await MailboxSession.open({ mailbox: dovecot.mailbox('opened') })
    const [uid] = await session.unread(0)
    await session.markRead([uid!])
    dovecot.deliver('opened', message('two'))
    const { received } = await read(t, 'opened')
    await until(() => marked() === 2, 'marks')
    assert.deepEqual(received, ['two'])
  })

  test('a message that is put off stays unread, is tried again later, and counts as read in the end', async (t) => {
    for (const subject of ['silent', 'late', 'well']) dovecot.deliver('put-off', message(subject))
    let now = 0
    let late = true
    const { received, results } = await read(t, 'put-off', {
      waits: { poll: 20 },
      now: () => now,
      putOff: (subject) => subject === 'silent' || (subject === 'late' && late),
    })
    const times = (subject: string) => received.filter((each) => each === subject).length
    await until(() => marked() === 1, 'a mark')
    // The next looks leave both alone.
    dovecot.deliver('put-off', message('next'))
    await until(() => marked() === 2, 'a second mark')
    assert.deepEqual([times('silent'), times('late'), times('well')], [1, 1, 1])
    late = false
    now += 300_000
    await until(() => marked() === 3, 'a mark on the late one')
    assert.equal(times('late'), 2)
    for (let tries = 2; tries < 4; tries++) {
      await until(() => times('silent') === tries, `attempt ${tries}`)
      now += 300_000
    }
    await until(() => marked() === 4, 'a mark on all of them')
    assert.equal(times('silent'), 4)
    assert.deepEqual(results, ['read', 'read', 'read', 'read'])
  })

  test('a message whose turn has not come when the service stops stays for the next reader', async (t) => {
    for (const subject of ['one', 'two']) dovecot.deliver('turns', message(subject))
    let turns = 0
    let waits = 0
    const turn = (gone: AbortSignal) =>
      turns++ === 0
        ? Promise.resolve()
        : new Promise<void>((_, reject) => {
            waits++
            gone.addEventListener('abort', () => reject(gone.reason))
          })
    const { reader, received, logged } = await read(t, 'turns', { turn })
    await until(() => received.length === 1 && waits === 1, 'one message to be received, and one to wait')
    await reader.stop(60_000)
    assert.deepEqual([received.length, marked(), logged], [1, 1, []])
    const next = await read(t, 'turns')
    await until(() => marked() === 2, 'marks')
    assert.deepEqual([...received, ...next.received].toSorted(), ['one', 'two'])
  })

  test('a stop does not wait for a server that greets and then says nothing', async (t) => {
    const asked = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('* OK ready\r\n')
      socket.once('data', () => asked.resolve())
    })
    server.listen(0, HOST)
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const mailbox = { ...dovecot.mailbox('hangs'), port, implicitTls: false }
    const { reader } = await read(t, 'hangs', { session: { mailbox } })
    await asked.promise
    // Far longer than the test may take.
    await reader.stop(600_000)
  })

  test('TLS is verified', async (t) => {
    dovecot.deliver('tls', message('one'))
    const mailbox = dovecot.mailbox('tls', { implicitTls: true })
    const { logged, received, reader } = await read(t, 'tls', { session: { mailbox } })
    await until(() => logged.length > 0, 'a line of the log')
    assert.match(JSON.stringify(logged), /certificate that does not hold/)
    assert.deepEqual([received, reader.state], [[], 'failing'])
    const second = await read(t, 'tls', { session: { mailbox, ca: [certificate.cert] } })
    await until(() => second.received.length === 1, 'the message')
  })

  test('a wrong password is logged once, without the password', async (t) => {
    const mailbox = { ...dovecot.mailbox('wrong'), password: 'not-the-password' }
    let attempts = 0
    const { logged, reader } = await read(t, 'wrong', {
      session: {
        get mailbox() {
          attempts++
          return mailbox
        },
      },
    })
    await until(() => attempts > 3, 'several attempts')
    assert.deepEqual(
      logged.map(({ level, facts }) => ({ level, ...facts })),
      [
        {
          level: 'warn',
          mailbox: `INBOX at ${HOST}`,
          reason: `${HOST} refused the user or the password`,
        },
      ],
    )
    assert.doesNotMatch(JSON.stringify(logged), /not-the-password/)
    assert.equal(reader.state, 'failing')
  })

  test('when the server dies, the messages that were not marked come again', async (t) => {
    for (let n = 0; n < 40; n++) dovecot.deliver('dies', message(`m${n}`, 'x'.repeat(50_000)))
    const seen = new Set<string>()
    let crashes = 0
    const { received, logged, results } = await read(t, 'dies', {
      async receive({ raw }) {
        seen.add(subjectOf(raw))
        if ((seen.size === 5 || seen.size === 25) && dovecot.crash()) crashes++
      },
    })
    await until(() => marked() === 40, 'all marks')
    assert.ok(crashes >= 2)
    assert.equal(seen.size, 40)
    assert.ok(received.length > 40, 'some came again')
    await until(() => logged.some(({ message: text }) => /read again/.test(text)), 'the good news')
    assert.ok(!results.includes('unreadable'))
  })

  test('while the database takes no commits, no message is marked', async (t) => {
    dovecot.deliver('away', message('one'))
    let isAway = true
    const tries: string[] = []
    const away = async () => {
      if (isAway) throw new Error('the database is away')
    }
    const { received, logged } = await read(t, 'away', {
      async receive({ raw }) {
        tries.push(subjectOf(raw))
        await away()
      },
      probe: away,
    })
    await until(() => tries.length > 4, 'several attempts')
    assert.deepEqual([marked(), received], [0, []])
    isAway = false
    await until(() => marked() === 1, 'the mark')
    assert.deepEqual(received, ['one'])
    assert.ok(!logged.some(({ message: text }) => /moved/.test(text)))
  })

  test('a message that fails by itself is put aside after three attempts, and holds up no other', async (t) => {
    dovecot.deliver('odd', message('odd'))
    dovecot.deliver('odd', message('even'))
    const { received, results, logged } = await read(t, 'odd', {
      async receive({ raw }) {
        if (subjectOf(raw) === 'odd') throw new Error('cannot be read')
      },
      waits: { poll: 20 },
    })
    await until(() => dovecot.flags('odd', `.${ASIDE}`).length === 1, 'the folder for unreadable messages')
    await until(() => marked() === 1, 'the mark on the other')
    // The server has moved it before it answers.
    await until(() => results.includes('unreadable'), 'the result')
    assert.deepEqual(received, ['even'])
    assert.deepEqual(results.toSorted(), ['read', 'unreadable'])
    await until(
      () => logged.some(({ message: text }) => /moved to a folder of its own/.test(text)),
      'the line',
    )
  })

  test('a message for which the workers are busy is no failure: it waits, and is read later', async (t) => {
    dovecot.deliver('busy', message('waits'))
    let tries = 0
    const { received, results, logged } = await read(t, 'busy', {
      async receive() {
        if (++tries < 6) throw new WorkersBusy('The job waited too long for its turn.')
      },
      waits: { poll: 20 },
    })
    await until(() => marked() === 1, 'the mark')
    await until(() => results.length > 0, 'the result')
    assert.deepEqual([received, results, logged], [['waits'], ['read'], []])
    assert.equal(dovecot.flags('busy', `.${ASIDE}`).length, 0)
  })

  test('a message that the server itself cannot read is put aside, and the others are read', async (t) => {
    for (let n = 0; n < 5; n++) dovecot.deliver('broken', message(`before${n}`))
    dovecot.deliver('broken', message('broken'), { mode: 0 })
    for (let n = 0; n < 5; n++) dovecot.deliver('broken', message(`after${n}`))
    const { received, results } = await read(t, 'broken')
    await until(() => dovecot.flags('broken', `.${ASIDE}`).length === 1, 'the folder for unreadable messages')
    await until(() => marked() === 10, 'the marks on the others')
    await until(() => results.includes('unreadable'), 'the result')
    assert.equal(new Set(received).size, 10)
    assert.deepEqual(
      results.filter((result) => result === 'unreadable'),
      ['unreadable'],
    )
  })

  test('of a large message the beginning is read', async (t) => {
    const size = 3 * 1024 * 1024
    dovecot.deliver('large', message('large', 'x'.repeat(size)))
    const sizes: number[][] = []
    await read(t, 'large', {
      async receive({ raw, size: whole }) {
        sizes.push([raw.length, whole ?? 0])
      },
    })
    await until(() => marked() === 1, 'the mark')
    assert.deepEqual(sizes, [[1024 * 1024, size + message('large').length]])
  })

  test('old messages are left alone, and new ones come first', async (t) => {
    const old = new Date(Date.now() - 100 * DAY)
    for (let n = 0; n < 500; n++) dovecot.deliver('full', message(`old${n}`), { at: old })
    for (let n = 0; n < 40; n++) dovecot.deliver('full', message(`waiting${n}`))
    let delivered = false
    const { received } = await read(t, 'full', {
      async receive() {
        if (!delivered) dovecot.deliver('full', message('fresh'))
        delivered = true
      },
    })
    await until(() => marked() === 41, 'the marks')
    assert.ok(received.every((subject) => !subject.startsWith('old')))
    const place = received.indexOf('fresh')
    assert.ok(place > 0 && place < 35, `as number ${place} of ${received.length}`)
  })

  test('one node reads at a time, and another goes on when it is gone', async (t) => {
    const first = await read(t, 'shared')
    dovecot.deliver('shared', message('one'))
    await until(() => marked() === 1, 'the mark')
    const second = await read(t, 'shared', { shared: first.store, nodeName: 'b' })
    for (let n = 0; n < 20; n++) dovecot.deliver('shared', message(`m${n}`))
    await until(() => marked() === 21, 'all marks')
    assert.equal(first.received.length, 21)
    assert.deepEqual([second.received, second.reader.state], [[], 'elsewhere'])
    await first.reader.stop(1_000)
    await first.store.leave((await first.store.nodes())[0]!.token)
    dovecot.deliver('shared', message('last'))
    await until(() => second.received.length === 1, 'the other node')
    assert.deepEqual(second.received, ['last'])
  })

  test('a node that cannot reach the server leaves the mailbox to one that can', async (t) => {
    const unreachable = { ...dovecot.mailbox('cut-off'), port: await freePort(HOST) }
    const first = await read(t, 'cut-off', { session: { mailbox: unreachable } })
    await until(() => first.reader.state === 'failing', 'a fault')
    const second = await read(t, 'cut-off', { shared: first.store, nodeName: 'b' })
    dovecot.deliver('cut-off', message('one'))
    await until(() => marked() === 1, 'the mark')
    assert.deepEqual(second.received, ['one'])
    await until(() => first.reader.state === 'elsewhere', 'the first node to see that another one reads')
    assert.equal(second.reader.state, 'reading')
  })

  test('a node alone goes on trying, and its state says that it fails', async (t) => {
    const mailbox = dovecot.mailbox('alone')
    const away = { ...mailbox, port: await freePort(HOST) }
    const states: string[] = []
    let alone: BounceMailbox | null = null
    let isAway = true
    const { reader, store } = await read(t, 'alone', {
      session: {
        get mailbox() {
          if (alone !== null) states.push(alone.state)
          return isAway ? away : mailbox
        },
      },
      waits: { fault: 1 },
    })
    await until(() => reader.state === 'failing', 'a fault')
    alone = reader
    await until(() => states.length > 8, 'many attempts')
    assert.deepEqual(new Set(states), new Set(['failing']))
    isAway = false
    await until(async () => (await lastRead(store)) !== null, 'the mailbox to be read')
    await until(() => reader.state === 'reading', 'the state')
  })

  test('a large backlog that is being read is a sign of life', async (t) => {
    for (let n = 0; n < 40; n++) dovecot.deliver('backlog', message(`m${n}`))
    let turns = 0
    const full = Promise.withResolvers<void>()
    const turn = () => (turns++ < 20 ? Promise.resolve() : full.promise)
    const { store } = await read(t, 'backlog', { turn })
    await until(() => marked() > 0, 'the first marks')
    await until(async () => (await lastRead(store)) !== null, 'a sign of life')
    assert.ok(marked() < 40)
    full.resolve()
    await until(() => marked() === 40, 'all marks')
  })
})
