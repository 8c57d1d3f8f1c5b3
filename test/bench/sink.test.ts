/** The receiving side of the benchmarks behaves as configured: a measurement is worth no more than its peer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { SmtpConnection } from '../../bench/load/smtp-connection.ts'
import {
  markedRecipient,
  PreparedText,
  preparedMessage,
  recipientNumber,
  USUAL_SHAPE,
} from '../../bench/message.ts'
import { FaultDice, parseBehaviour } from '../../bench/sink/behaviour.ts'
import { Peer } from '../../bench/sink/peer.ts'

interface Arrived {
  recipients: readonly string[]
  octets: number
}

async function listen(text: string): Promise<{ peer: Peer; arrived: Arrived[] }> {
  const arrived: Arrived[] = []
  const peer = new Peer(
    { host: '127.0.0.1', port: 0, behaviour: parseBehaviour(text), seed: 7 },
    (recipients, octets) => arrived.push({ recipients, octets }),
  )
  await peer.listen()
  return { peer, arrived }
}

function connect(t: TestContext, port: number, pipelining = true): Promise<SmtpConnection> {
  const commands = `MAIL FROM:<a@bench.test>\r\nRCPT TO:<${markedRecipient(USUAL_SHAPE)}>\r\nDATA\r\n`
  const opened = SmtpConnection.open('127.0.0.1', port, {
    commands: new PreparedText(Buffer.from(commands), 1),
    message: preparedMessage('a@bench.test', USUAL_SHAPE),
    pipelining,
  })
  t.after(() => opened.then((connection) => connection.close()))
  return opened
}

test('an obliging peer counts every message with its recipients and octets', async (t) => {
  const { peer, arrived } = await listen('')
  t.after(() => peer.close())
  const connection = await connect(t, peer.port)
  for (let number = 0; number < 5; number++) assert.equal((await connection.send(number)).status, 200)
  assert.deepEqual(
    arrived.map(({ recipients }) => recipients.map(recipientNumber)),
    [[0], [1], [2], [3], [4]],
  )
  const wire = preparedMessage('a@bench.test', USUAL_SHAPE).buffer.length
  assert.ok(arrived.every(({ octets }) => octets === wire))
})

test('commands are sent one by one when pipelining is off', async (t) => {
  const groups: string[][] = [[], []]
  for (const [index, pipelining] of [true, false].entries()) {
    // Answers each group of commands that arrives together.
    const server = net.createServer((socket) => {
      socket.write('220 here\r\n')
      socket.setEncoding('latin1').on('data', (text: string) => {
        const commands = text.split('\r\n').slice(0, -1)
        groups[index]!.push(commands.map((command) => command.slice(0, 4)).join(' '))
        const answer = (command: string) => (command === 'DATA' ? '354 go on\r\n' : '250 ok\r\n')
        if (text.startsWith('EHLO')) socket.write('250-here\r\n250 PIPELINING\r\n')
        else if (text.endsWith('\r\n.\r\n')) socket.write('250 kept\r\n')
        else if (/^(MAIL|RCPT|DATA)/.test(text)) socket.write(commands.map(answer).join(''))
      })
    })
    t.after(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as net.AddressInfo
    assert.equal((await (await connect(t, port, pipelining)).send(1)).status, 200)
  }
  assert.equal(groups[0]![1], 'MAIL RCPT DATA')
  assert.deepEqual(groups[1]!.slice(1, 4), ['MAIL', 'RCPT', 'DATA'])
})

test('octets that come one by one are the same message', async (t) => {
  const { peer, arrived } = await listen('dribble=0')
  t.after(() => peer.close())
  const socket = net.connect(peer.port, '127.0.0.1').setEncoding('latin1')
  t.after(() => socket.destroy())
  let heard = ''
  socket.on('data', (text: string) => {
    heard += text
  })
  const until = async (reply: RegExp) => {
    while (!reply.test(heard)) await once(socket, 'data')
  }
  await until(/^220 /m)
  const body = 'Subject: x\r\n\r\n..a line\r\n.\r\n'
  const dialogue = `EHLO x\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<n00000009@sink.test>\r\nDATA\r\n${body}QUIT\r\n`
  for (const octet of dialogue) await new Promise((resolve) => socket.write(octet, resolve))
  await until(/^221 /m)
  assert.deepEqual(arrived, [{ recipients: ['n00000009@sink.test'], octets: body.length }])
})

test('the sink refuses, limits and cuts connections as its script says', async (t) => {
  const refusing = await listen('5xx@dot=1')
  const limited = await listen('messages=2')
  const full = await listen('connections=1')
  const cutting = await listen('cut@data=1')
  t.after(() => Promise.all([refusing, limited, full, cutting].map(({ peer }) => peer.close())))

  assert.equal((await (await connect(t, refusing.peer.port)).send(1)).status, 554)
  assert.deepEqual(refusing.arrived, [])

  const twice = await connect(t, limited.peer.port)
  assert.equal((await twice.send(1)).status, 200)
  assert.equal((await twice.send(2)).status, 200)
  await assert.rejects(twice.send(3), /421 4\.7\.0/)

  await connect(t, full.peer.port)
  await assert.rejects(
    SmtpConnection.open('127.0.0.1', full.peer.port, {
      commands: new PreparedText(Buffer.alloc(0), 1),
      message: new PreparedText(Buffer.alloc(0), 1),
    }),
    /421 4\.3\.2/,
  )

  await assert.rejects((await connect(t, cutting.peer.port)).send(1))
  cutting.peer.heal()
  assert.equal((await (await connect(t, cutting.peer.port)).send(1)).status, 200)
  assert.equal(cutting.arrived.length, 1)
})

test('faults come as often as their shares say, and the same seed draws the same', () => {
  const behaviour = parseBehaviour('4xx@rcpt=0.2,cut@rcpt=0.1')
  const draw = (seed: number) => {
    const dice = new FaultDice(behaviour, seed)
    return Array.from({ length: 20_000 }, () => dice.draw('rcpt'))
  }
  const drawn = draw(42)
  assert.deepEqual(draw(42), drawn)
  const share = (fault: string | null) => drawn.filter((each) => each === fault).length / drawn.length
  assert.ok(Math.abs(share('4xx') - 0.2) < 0.02)
  assert.ok(Math.abs(share('cut') - 0.1) < 0.02)
  assert.equal(new FaultDice(behaviour, 1).draw('mail'), null)
})

test('a behaviour that is not understood is named', () => {
  for (const text of ['4xx@nowhere=0.5', 'latency=', 'hang@rcpt=1.5', 'starttls=yes', 'quick'])
    assert.throws(() => parseBehaviour(text), new RegExp(`"${text}" is not understood`))
})
