/** AUTH: wrong keys, guesses, the commands around it, and the state after it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { base64, DOMAIN, message, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

describe('logging in over SMTP', () => {
  let rig: SubmissionRig

  before(async () => {
    rig = await startRig({ tls: null, submission: [STARTTLS] })
  })
  after(() => rig[Symbol.asyncDispose]())

  test('after three wrong keys the session is over', async () => {
    using client = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    const wrong = `AUTH PLAIN ${base64('\0api\0wrong')}`
    await client.say(wrong, /^535 5\.7\.8 The password is neither a valid API key/)
    await client.say(wrong, /^535 /)
    await client.say(wrong, /^421 4\.7\.0 /)
    await client.ended()
    const told = rig.service.logged.find((line) => line.includes('an SMTP login was refused'))
    const { address, user } = JSON.parse(told!)
    assert.deepEqual({ address, user }, { address: '127.0.0.1', user: 'api' })
  })

  test('commands behind AUTH wait for its answer, and are dropped after a refusal', async () => {
    const emails = await rig.count()
    using client = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    const transaction = `MAIL FROM:<a@${DOMAIN}>\r\nRCPT TO:<b@x.test>\r\nDATA\r\n${message()}.\r\n`
    client.write(`AUTH PLAIN ${base64('\0api\0wrong')}\r\n${transaction}`)
    for (const like of [/^535 /, /^421 4\.7\.0 The login failed/]) assert.match(await client.reply(), like)
    await client.ended()
    assert.equal(await rig.count(), emails)
  })

  test('RSET and EHLO end the transaction, keep the login, and allow no second one', async () => {
    using client = await rig.loggedIn()
    for (const command of ['RSET', 'EHLO client.test', 'HELO client.test']) {
      await client.say('MAIL FROM:<>', /^250 /)
      await client.say('RCPT TO:<b@x.test>', /^250 /)
      assert.doesNotMatch(await client.say(command, /^250/), /AUTH/)
      await client.say('DATA', /^503 5\.5\.1 Send MAIL first/)
      await client.say('AUTH LOGIN', /^503 5\.5\.1 You are already logged in/)
    }
    await rig.email(await client.send(message()))
  })

  test('a name and a password of megabytes', async () => {
    using client = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    await client.say('AUTH LOGIN', /^334 /)
    client.socket.on('error', () => {})
    client.write('A'.repeat(4 * 1024 * 1024))
    assert.match(
      await client.reply(),
      /^500 5\.5\.2 The command cannot be read: a line may have at most 2048 octets/,
    )
    await client.ended()
  })

  test('guesses of keys are answered one a second, and do not delay clients with a valid key', async () => {
    const guess = `AUTH PLAIN ${base64(`\0api\0pr_${'0'.repeat(32)}`)}\r\n`
    const guessing = await Promise.all(Array.from({ length: 15 }, () => rig.connect()))
    for (const client of guessing) {
      await client.say('EHLO client.test', /^250-/)
      client.write(guess)
    }
    using client = await rig.loggedIn()
    await rig.email(await client.send(message()))
    assert.equal(guessing.at(-1)!.received, '')
    for (const one of guessing) one[Symbol.dispose]()
  })

  test('AUTH that cannot be read', async () => {
    using client = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    await client.say('AUTH CRAM-MD5', /^504 5\.5\.4 The mechanisms are PLAIN and LOGIN/)
    await client.say('AUTH', /^504 /)
    await client.say('AUTH PLAIN a', /^501 5\.5\.2 /)
    await client.say('AUTH PLAIN ====', /^501 5\.5\.2 /)
    await client.say('AUTH LOGIN', /^334 VXNlcm5hbWU6\r\n$/)
    await client.say('*', /^501 5\.7\.0 /)
    await client.say('AUTH LOGIN', /^334 /)
    await client.say(base64('api'), /^334 UGFzc3dvcmQ6\r\n$/)
    await client.say(base64(rig.key.token), /^235 /)
    await client.say('AUTH PLAIN', /^503 5\.5\.1 /)
  })
})
