/** The category of waiting mail, of which only words are kept, is the one that its attempt was recorded with. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { failureOfError, outcomeOfFailure } from '../../src/delivery/outcome.ts'
import { lookupFailed } from '../../src/delivery/path/mail-hosts.ts'
import { Dialogue } from '../../src/delivery/smtp/dialogue.ts'
import { SmtpError } from '../../src/delivery/smtp/error.ts'
import { openSession } from '../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../src/delivery/smtp/target.ts'
import { notAttempted, othersFailed } from '../../src/email/not-attempted.ts'
import { categoryOf } from '../../src/operate/reply-category.ts'
import { factsOf } from '../../src/queue/trouble.ts'
import { type Peer, rawServer } from '../support/raw-smtp.ts'
import { targetAt } from '../support/smtp-transaction.ts'

async function errorAt(port: number, changes: Partial<SmtpTarget>): Promise<SmtpError> {
  try {
    const session = await openSession(targetAt(port, changes), new Dialogue())
    session.destroy()
  } catch (error) {
    assert.ok(error instanceof SmtpError, String(error))
    return error
  }
  assert.fail('the session opened')
}

/** A port at which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The message that is kept, and the recorded category. */
function recorded(error: SmtpError) {
  const { message, category } = outcomeOfFailure(0, failureOfError(error, 'mx.example.test', 'direct'))
  return { message, category }
}

test('a refused connection', async () => {
  const { message, category } = recorded(await errorAt(await closedPort(), {}))
  assert.equal(category, 'network')
  assert.equal(categoryOf(message), category, message)
  assert.equal(categoryOf(othersFailed(message)), category)
})

interface Case {
  name: string
  script: (peer: Peer) => Promise<unknown>
  changes?: Partial<SmtpTarget>
}

const TIMEOUTS = targetAt(0).timeouts!

const CREDENTIALS = { user: 'u', password: 'p', mechanism: null }

const CASES: readonly Case[] = [
  { name: 'a connection that ends before the greeting', script: async (peer) => peer.end() },
  {
    name: 'a server that does not greet',
    script: (peer) => peer.line(),
    changes: { timeouts: { ...TIMEOUTS, greeting: 100 } },
  },
  { name: 'no STARTTLS', script: (peer) => peer.greet('SIZE'), changes: { tls: 'required' } },
  {
    name: 'no TLS for the credentials',
    script: (peer) => peer.greet('AUTH PLAIN'),
    changes: { tls: 'opportunistic', credentials: CREDENTIALS },
  },
  {
    name: 'no AUTH for the credentials',
    script: (peer) => peer.greet('SIZE'),
    changes: { credentials: CREDENTIALS },
  },
  { name: 'a reply', script: (peer) => peer.send('421 4.7.0 Too many connections\r\n') },
]

for (const { name, script, changes = {} } of CASES) {
  test(name, async () => {
    await using server = await rawServer(async (peer) => void (await script(peer)))
    const { message, category } = recorded(await errorAt(server.port, changes))
    assert.equal(categoryOf(message), category, message)
  })
}

test('a look-up that failed', () => {
  const found = lookupFailed('x.test', 'timed out')
  assert.ok(found.kind === 'none')
  const { message, category } = outcomeOfFailure(0, found.failure)
  assert.deepEqual([category, categoryOf(message)], ['network', 'network'])
})

describe('mail that waits for a path on which mail of another company met', () => {
  const part = { key: '', path: '', companyId: null, domainId: null, to: null }
  const kinds = {
    busy: 'rate_limited',
    path: 'reputation',
    credentials: 'authentication',
    sender: 'policy',
    source: 'network',
    unreachable: 'network',
  } as const
  for (const [kind, category] of Object.entries(kinds)) {
    test(`a trouble of the kind ${kind}`, () => {
      const report = { kind: kind as keyof typeof kinds, met: 'session', message: 'x', code: 421 } as const
      const { brief } = factsOf(part, report, { metBy: 'c', category: undefined }, 1)
      assert.equal(categoryOf(othersFailed(brief)), category, brief)
    })
  }
})

test('mail that was left alone has none', () => {
  assert.equal(categoryOf(notAttempted('the queue is paused')), null)
  assert.equal(categoryOf(null), null)
})
