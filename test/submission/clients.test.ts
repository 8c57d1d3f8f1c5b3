/** Mail over SMTP from the clients that applications use, with their usual user names. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import nodemailer from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { textOf } from '../../src/mail/body.ts'
import { DOMAIN, type SubmissionRig, startRig } from './rig.ts'

const run = promisify(execFile)

describe('clients of SMTP submission', () => {
  let rig: SubmissionRig

  before(async () => {
    rig = await startRig()
  })
  after(() => rig[Symbol.asyncDispose]())

  function transport(options: SMTPTransport.Options = {}) {
    return nodemailer.createTransport({
      host: '127.0.0.1',
      port: rig.port,
      requireTLS: true,
      tls: { ca: rig.certificate.cert },
      auth: { user: 'resend', pass: rig.key.token },
      ...options,
    })
  }

  const mail = { from: `Ann <a@${DOMAIN}>`, to: 'b@x.test', subject: 'Grüße', text: 'Hello' }

  for (const user of ['resend', 'api', `postmaster@${DOMAIN}`, 'anybody', 'someone@elsewhere.example']) {
    test(`nodemailer, STARTTLS, user ${user}`, async () => {
      const info = await transport({ auth: { user, pass: rig.key.token } }).sendMail(mail)
      const email = await rig.email(`${info.response}\r\n`)
      assert.match(email.content.from, /a@acme\.example/)
      assert.equal(email.content.subject, 'Grüße')
      assert.equal(email.content.messageId, info.messageId)
      assert.deepEqual(email.content.to, ['b@x.test'])
    })
  }

  test('nodemailer, TLS from the start, AUTH LOGIN, a pool, files that take a worker', async () => {
    const options = { port: rig.implicitPort, secure: true, authMethod: 'LOGIN', pool: true }
    const pool = transport(options as SMTPTransport.Options)
    const content = Buffer.alloc(300_000, 'ab\n.\r\n..\r')
    const sent = [1, 2, 3, 4].map((number) =>
      pool.sendMail({ ...mail, subject: `Number ${number}`, attachments: [{ filename: 'a.bin', content }] }),
    )
    for (const [index, info] of (await Promise.all(sent)).entries()) {
      const email = await rig.email(`${info.response}\r\n`)
      assert.equal(email.content.subject, `Number ${index + 1}`)
      assert.ok(email.size > 400_000)
    }
    pool.close()
  })

  test('hidden recipients get a copy, and no recipient sees them', async () => {
    const info = await transport().sendMail({ ...mail, cc: 'c@x.test', bcc: ['d@x.test', 'e@x.test'] })
    const email = await rig.email(`${info.response}\r\n`)
    const history = await rig.service.store.readHistory(email.id)
    assert.deepEqual(
      history!.recipients.map(({ address }) => address),
      ['b@x.test', 'c@x.test', 'd@x.test', 'e@x.test'],
    )
    assert.deepEqual(email.bcc, ['d@x.test', 'e@x.test'])
  })

  test('smtplib of Python, over STARTTLS and over TLS from the start', async () => {
    const program = `
import smtplib, ssl, sys
from email.message import EmailMessage
context = ssl.create_default_context(cafile=sys.argv[3])
for port, secure in ((int(sys.argv[1]), False), (int(sys.argv[2]), True)):
    client = smtplib.SMTP_SSL('127.0.0.1', port, context=context) if secure else smtplib.SMTP('127.0.0.1', port)
    with client:
        if not secure: client.starttls(context=context)
        client.login('api', sys.argv[4])
        message = EmailMessage()
        message['From'] = 'a@${DOMAIN}'
        message['To'] = 'Jörg <jörg@x.test>, c@x.test'
        message['Subject'] = 'From Python'
        message.set_content('.dot\\n..dots\\n.\\nend\\n')
        client.send_message(message, to_addrs=['jörg@x.test', 'b@x.test'])
        refused = client.sendmail('a@${DOMAIN}', ['b@x.test', 'not an address'], 'From: a@${DOMAIN}\\r\\nTo: b@x.test\\r\\nSubject: plain\\r\\n\\r\\ntext')
        print(refused)
`
    const before = await rig.count()
    const files = [String(rig.port), String(rig.implicitPort), join(rig.directory, 'cert.pem'), rig.key.token]
    const { stdout } = await run('python3', ['-c', program, ...files], {
      env: { ...process.env, PYTHONIOENCODING: 'utf8' },
    })
    assert.match(
      stdout,
      /^\{'not an address': \(553, b'5\.1\.3 The address cannot be used: .*\)\}\n\{'not an address'/,
    )
    assert.equal(await rig.count(), before + 4)
    const [newest] = await rig.service.store.listEmails({ companyId: rig.companyId, limit: 2 })
    assert.equal(newest!.subject, 'plain')
  })

  test('lines that end in LF alone: smtplib with octets, curl with a file', async () => {
    const text = 'Hello\n.\n..two\n.one\nend\n'
    const unix = `From: Ann <a@${DOMAIN}>\nTo: b@x.test\nSubject: Unix\n\n${text}`
    const file = join(rig.directory, 'unix.eml')
    await writeFile(file, unix)
    const program = `
import smtplib, ssl, sys
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as client:
    client.starttls(context=ssl.create_default_context(cafile=sys.argv[2]))
    client.login('api', sys.argv[3])
    print(client.sendmail('a@${DOMAIN}', ['b@x.test'], open(sys.argv[4], 'rb').read()))
`
    const certificate = join(rig.directory, 'cert.pem')
    await run('python3', ['-c', program, String(rig.port), certificate, rig.key.token, file])
    const texts = async () => {
      const [newest] = await rig.service.store.listEmails({ companyId: rig.companyId, limit: 1 })
      const { content } = (await rig.service.store.readEmail(newest!.id))!
      return textOf(content.text ?? '')
        .replaceAll('\r\n', '\n')
        .trimEnd()
    }
    assert.equal(await texts(), text.trimEnd())
    const url = `smtp://localhost:${rig.port}`
    const sender = ['--mail-from', `a@${DOMAIN}`, '--mail-rcpt', 'b@x.test', '--upload-file', file]
    const login = ['--user', `api:${rig.key.token}`, '--ssl-reqd', '--cacert', certificate]
    await run('curl', ['--silent', '--show-error', '--fail', url, ...sender, ...login])
    // curl doubles no dot behind an LF, so two in a row look like one that was doubled.
    assert.equal(await texts(), text.trimEnd().replace('..two', '.two'))
  })

  test('a wrong password', async () => {
    const wrong = transport({ auth: { user: 'resend', pass: `pr_${'x'.repeat(32)}` } })
    await assert.rejects(wrong.sendMail(mail), { code: 'EAUTH', responseCode: 535 })
  })

  test('a sender at a domain of no company', async () => {
    await assert.rejects(transport().sendMail({ ...mail, from: 'a@elsewhere.example' }), {
      responseCode: 550,
      response: /^550 5\.7\.1 elsewhere\.example is not a domain that you may send from/,
    })
  })
})
