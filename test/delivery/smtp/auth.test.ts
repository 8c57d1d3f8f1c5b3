import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { selfSigned } from '../../../harness/certificate.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { SmtpError } from '../../../src/delivery/smtp/error.ts'
import { openSession } from '../../../src/delivery/smtp/session.ts'
import type { AuthMechanism, SmtpTarget } from '../../../src/delivery/smtp/target.ts'
import { type Peer, rawServer } from '../../support/raw-smtp.ts'
import { sendOnce, targetAt } from '../../support/smtp-transaction.ts'

const user = 'relay-user'
const password = 'pass wörd 100%'

function credentials(mechanism: AuthMechanism | null = null) {
  return { user, password, mechanism }
}

async function smtpServer(methods: string[]): Promise<{ port: number; used: string[] } & AsyncDisposable> {
  const used: string[] = []
  const server = new SMTPServer({
    ...selfSigned(['mx.example.test']),
    authMethods: methods,
    allowInsecureAuth: true,
    onAuth(auth, _session, callback) {
      used.push(auth.method)
      const right =
        auth.username === user &&
        (auth.method === 'CRAM-MD5'
          ? auth.validatePassword(password)
          : auth.method === 'XOAUTH2'
            ? auth.accessToken === password
            : auth.password === password)
      if (right) callback(null, { user })
      else if (auth.method === 'XOAUTH2') callback(null, { data: { status: '401', schemes: 'bearer' } })
      else callback(new Error(`no such user, or not "${auth.password}"`))
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.server.address() as AddressInfo).port,
    used,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}

function assertSecret(text: string): void {
  for (const secret of [
    password,
    Buffer.from(password).toString('base64'),
    Buffer.from(`\0${user}\0${password}`).toString('base64'),
    Buffer.from(`user=${user}\x01auth=Bearer ${password}\x01\x01`).toString('base64'),
  ]) {
    assert.ok(!text.includes(secret), `the credentials show:\n${text}`)
  }
}

async function refusal(target: SmtpTarget): Promise<{ error: SmtpError; dialogue: string }> {
  const dialogue = new Dialogue()
  const error = await openSession(target, dialogue).then(
    () => assert.fail('the session opened'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SmtpError, String(error))
  return { error, dialogue: dialogue.text }
}

for (const mechanism of ['plain', 'login', 'cram-md5', 'xoauth2'] as const) {
  test(`${mechanism} with a server that supports it`, async () => {
    await using server = await smtpServer([mechanism.toUpperCase()])
    for (const tls of ['off', 'required'] as const) {
      const { session, replies, dialogue } = await sendOnce(
        targetAt(server.port, { tls, credentials: credentials(mechanism) }),
      )
      assert.equal(replies[0]!.verdict, 'delivered')
      assert.match(dialogue, new RegExp(`> AUTH ${mechanism}`, 'i'))
      assertSecret(dialogue)
      await session.quit()
    }
    assert.deepEqual(server.used, [mechanism.toUpperCase(), mechanism.toUpperCase()])
  })

  test(`${mechanism} refused`, async () => {
    await using server = await smtpServer([mechanism.toUpperCase()])
    const wrong = { user, password: 'wrong-pass', mechanism }
    const { error, dialogue } = await refusal(targetAt(server.port, { credentials: wrong }))
    assert.equal(error.kind, 'auth')
    assert.equal(error.stage, 'auth')
    assert.equal(error.code, 535)
    assert.equal(error.permanent, true)
    assert.doesNotMatch(error.message + dialogue, /wrong-pass|d3JvbmctcGFzc/)
    if (mechanism === 'xoauth2') assert.match(error.message, /"status":"401"/)
  })
}

test('the best mechanism is used: PLAIN with TLS, CRAM-MD5 without, XOAUTH2 only if configured', async () => {
  await using all = await smtpServer(['XOAUTH2', 'CRAM-MD5', 'LOGIN', 'PLAIN'])
  for (const tls of ['required', 'off'] as const) {
    const { session } = await sendOnce(targetAt(all.port, { tls, credentials: credentials() }))
    await session.quit()
  }
  assert.deepEqual(all.used, ['PLAIN', 'CRAM-MD5'])

  await using login = await smtpServer(['XOAUTH2', 'LOGIN'])
  const { session } = await sendOnce(targetAt(login.port, { credentials: credentials() }))
  await session.quit()
  assert.deepEqual(login.used, ['LOGIN'])

  await using oauth = await smtpServer(['XOAUTH2'])
  const { error } = await refusal(targetAt(oauth.port, { credentials: credentials() }))
  assert.equal(error.kind, 'auth')
  assert.match(error.message, /offers XOAUTH2/)
  assert.equal(error.permanent, false)
})

/** A session with a scripted server that offers these mechanisms. */
async function scripted(
  offer: string,
  script: (peer: Peer) => Promise<void>,
  changes: Partial<SmtpTarget> = {},
): Promise<{ error: SmtpError | null; dialogue: string; heard: string }> {
  await using server = await rawServer(async (peer) => {
    await peer.greet(offer)
    await script(peer)
  })
  const dialogue = new Dialogue()
  const target = targetAt(server.port, { credentials: credentials(), ...changes })
  const error = await openSession(target, dialogue).then(
    (session) => {
      session.destroy()
      return null
    },
    (reason: unknown) => reason as SmtpError,
  )
  await server.peers[0]!.closed()
  await server.finished()
  return { error, dialogue: dialogue.text, heard: server.peers[0]!.heard }
}

test('the old syntax, and a server that ignores the initial response', async () => {
  const { error, dialogue } = await scripted('AUTH=PLAIN', async (peer) => {
    const response = Buffer.from(`\0${user}\0${password}`).toString('base64')
    assert.deepEqual(await peer.answer('334 ', '235 welcome'), [`AUTH PLAIN ${response}`, response])
  })
  assert.equal(error, null)
  assertSecret(dialogue)
})

test('CRAM-MD5 answers the challenge of RFC 2195 2', async () => {
  const { error } = await scripted(
    'AUTH CRAM-MD5',
    async (peer) => {
      const challenge = '<1896.697170952@postoffice.reston.mci.net>'
      await peer.answer(`334 ${Buffer.from(challenge).toString('base64')}`)
      const answer = Buffer.from((await peer.line())!, 'base64').toString()
      assert.equal(answer, 'tim b913a602c7eda7a495b4e6e7334d3890')
      assert.equal(answer, `tim ${createHmac('md5', 'tanstaaftanstaaf').update(challenge).digest('hex')}`)
      await peer.send('235 ok\r\n')
    },
    { credentials: { user: 'tim', password: 'tanstaaftanstaaf', mechanism: null } },
  )
  assert.equal(error, null)
})

test('a server that repeats the credentials does not get them into the record or the error', async () => {
  const { error, dialogue } = await scripted('AUTH PLAIN', async (peer) => {
    const line = (await peer.line())!
    await peer.send(`535-5.7.8 you said ${line}\r\n535 5.7.8 which means ${password}\r\n`)
  })
  assert.equal(error!.code, 535)
  assert.equal(error!.enhancedCode, '5.7.8')
  assertSecret(error!.message + dialogue)
})

test('without TLS no credentials are sent, unless the operator has set tls=off', async () => {
  for (const tls of ['opportunistic', 'required', 'verified'] as const) {
    const { error, heard } = await scripted('AUTH PLAIN LOGIN', async () => {}, { tls })
    assert.match(error!.kind, tls === 'opportunistic' ? /^auth$/ : /^tls$/)
    assert.equal(error!.permanent, false)
    assert.doesNotMatch(heard, /AUTH/)
  }
})

test('a mechanism that is not offered is not tried', async () => {
  const { error, heard } = await scripted('AUTH LOGIN', async () => {}, { credentials: credentials('plain') })
  assert.equal(error!.kind, 'auth')
  assert.match(error!.message, /PLAIN; it offers LOGIN/)
  assert.doesNotMatch(heard, /AUTH/)
})

test('a temporary refusal is not permanent; 421 ends the session', async () => {
  const busy = await scripted('AUTH PLAIN', async (peer) => void (await peer.answer('454 4.7.0 later')))
  assert.equal(busy.error!.kind, 'auth')
  assert.equal(busy.error!.permanent, false)
  const gone = await scripted(
    'AUTH LOGIN',
    async (peer) => void (await peer.answer('334 VXNlcm5hbWU6', '421 bye')),
  )
  assert.equal(gone.error!.kind, 'reply')
  assert.equal(gone.error!.stage, 'auth')
  assert.equal(gone.error!.code, 421)
})

test('a NUL in the credentials would shift their fields', async () => {
  const { error, heard } = await scripted('AUTH PLAIN', async () => {}, {
    credentials: { user: 'a\0b', password: 'secret', mechanism: null },
  })
  assert.equal(error!.kind, 'auth')
  assert.doesNotMatch(heard, /AUTH/)
})
