/** The words of strangers do nothing to the terminal of the operator: commands run on a real one (script of util-linux). */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { basic } from '../http/requests.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { bin, newWorkplace, runProgram, type Serving, serve, type Workplace } from './postroad.ts'

/** Sets a title, clears the screen by an 8-bit control, turns the order of letters around, hides. */
const NASTY =
  '\u001b]0;owned\u0007 \u009b2J \u202egnp.\u2066x\u2069 \u200b\u00ad\ufeff\u2028\u{e0041}\u007f\u3164'
const SEEN =
  '\\u001b]0;owned\\u0007 \\u009b2J \\u202egnp.\\u2066x\\u2069 \\u200b\\u00ad\\ufeff\\u2028\\u{e0041}\\u007f\\u3164'
/** As far as a subject may have them. */
const SUBJECT = 'subject \u202egnp.\u2066x\u2069 \u200b\u00ad\ufeff\u{e0041}\u3164'
const SUBJECT_SEEN = 'subject \\u202egnp.\\u2066x\\u2069 \\u200b\\u00ad\\ufeff\\u{e0041}\\u3164'
/** What holds it together is no secret. */
const EMOJI = '\u{1f469}\u200d\u{1f4bb}'
/** Our own: a line is begun anew. */
const PROGRESS = '\r\u001b[K'
/** The line ends of a terminal are the only controls that may come out. */
const UNSEEN = /(?!\r\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<!\r\n)/u

const why = existsSync('/usr/bin/script') && process.platform === 'linux' ? false : 'there is no script(1)'
const skip = process.env.CI ? false : why

describe('on a terminal', { skip }, () => {
  let sink: Sink
  let place: Workplace
  let service: Serving
  let token = ''
  const ids: string[] = []

  before(async () => {
    sink = await startSink({
      script: ({ step }) => (step === 'rcpt' ? { reply: `451 4.7.1 ${NASTY} later` } : undefined),
    })
    place = newWorkplace({
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
      POSTROAD_LOG_LEVEL: 'warn',
    })
    // A name may have no controls, nor change the direction of text; other invisible characters are allowed.
    const name = `Ac\u2060me ${EMOJI}`
    const company = await place.json<{ id: string }>('company', 'create', name)
    await place.json('domain', 'add', 'acme.test', '--company', company.id)
    await place.json('domain', 'activate', 'acme.test')
    const key = await place.json<{ token: string }>(
      'key',
      'create',
      '--company',
      company.id,
      '--name',
      'k\u200bey',
    )
    token = key.token
    await place.json('suppression', 'add', 'x@x.test', '--company', company.id, '--reason', NASTY)
    service = await serve(place, ['--json'], /\}\n/)
    ids.push(await accepted())
    await acceptedRaw()
    for (;;) {
      const lanes = await place.json<{ last_answer: string | null }[]>('queue')
      if (lanes.some(({ last_answer }) => last_answer !== null)) break
    }
  })
  after(async () => {
    await service.stop()
    place.remove()
    await sink.close()
  })

  async function accepted(): Promise<string> {
    const reply = await fetch(`${service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@acme.test', to: 'b@y.test', subject: SUBJECT, text: 't' }),
    })
    const body = (await reply.json()) as { id: string }
    assert.equal(reply.status, 200, JSON.stringify(body))
    return body.id
  }

  /** A ready message with hostile octets of its sender. */
  async function acceptedRaw(): Promise<void> {
    const form = new FormData()
    form.append('to', 'b@y.test')
    const head =
      'From: a@acme.test\r\nTo: b@y.test\r\nSubject: s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n'
    const body = Buffer.concat([
      Buffer.from(`\r\n${NASTY}\ttab\r\n`),
      Buffer.from('\x9b2J\x1b[3J\r\n', 'latin1'),
    ])
    form.append('message', new File([head, body], 'm.eml'))
    const reply = await fetch(`${service.url}/v3/acme.test/messages.mime`, {
      method: 'POST',
      headers: { authorization: basic(token) },
      body: form,
    })
    assert.equal(reply.status, 200, await reply.text())
    const [newest] = await place.json<{ id: string }[]>('email', 'list', '--limit', '1')
    ids.push(newest!.id)
  }

  /** Runs the command with a terminal for its output. */
  async function shown(...args: string[]): Promise<string> {
    const line = [bin, ...args].map((text) => `'${text.replaceAll("'", "'\\''")}'`).join(' ')
    const { stdout } = await runProgram('script', ['-qec', line, '/dev/null'], {
      cwd: place.folder,
      env: { ...place.env, TERM: 'xterm' },
    })
    return stdout
  }

  const commands = () => [
    ['company', 'list'],
    ['key', 'list'],
    ['domain', 'list'],
    ['domain', 'show', 'acme.test'],
    ['suppression', 'list'],
    ['email', 'list'],
    ['email', 'show', ids[0]!],
    ['email', 'show', ids[1]!],
    ['email', 'show', ids[0]!, '--raw'],
    ['email', 'show', ids[1]!, '--raw'],
    ['queue'],
    ['queue', 'retry'],
    ['node', 'list'],
    ['site', 'list'],
    ['site', 'show', NASTY],
    ['settings'],
    ['company', 'create', `${NASTY}`],
    ['email', 'show', NASTY],
    [NASTY],
    ['key', 'create', '--company', 'x', '--name', 'n', '--from', NASTY],
    ['domain', 'verify', NASTY],
  ]

  test('nothing that a terminal obeys comes out of any command, as text and as JSON', async () => {
    for (const args of commands()) {
      for (const json of args.includes('--raw') ? [[]] : [[], ['--json']]) {
        const text = await shown(...args, ...json)
        const found = UNSEEN.exec(text.replaceAll(EMOJI, '').replaceAll(PROGRESS, ''))
        assert.equal(
          found,
          null,
          `${args.join(' ')}: ${JSON.stringify(text.slice(found?.index, (found?.index ?? 0) + 40))}`,
        )
        assert.ok(text.length > 0, args.join(' '))
      }
    }
  })

  test('it is shown as escapes', async () => {
    const list = await shown('email', 'list')
    assert.ok(list.includes(SUBJECT_SEEN), list)
    const history = await shown('email', 'show', ids[0]!)
    assert.ok(history.includes(`Subject:        ${SUBJECT_SEEN}`), history)
    const raw = await shown('email', 'show', ids[1]!, '--raw')
    assert.ok(raw.includes(`\r\n${SEEN}        tab\r\n\\x9b2J\\u001b[3J\r\n`), raw)
    assert.ok((await shown('suppression', 'list')).includes(SEEN))
    assert.ok((await shown('company', 'list')).includes(`Ac\\u2060me ${EMOJI}`))
  })

  test('JSON means the same', async () => {
    const { stdout } = await place.run('email', 'show', ids[0]!, '--json')
    assert.equal(UNSEEN.exec(stdout.replaceAll('\n', '\r\n')), null)
    assert.equal((JSON.parse(stdout) as { subject: string }).subject, SUBJECT)
  })

  test('a file gets the message, octet for octet', async () => {
    const { stdout } = await place.run('email', 'show', ids[1]!, '--raw')
    assert.ok(stdout.includes(`\r\n${NASTY}\ttab\r\n`))
  })

  test('nothing but print.ts writes to the terminal', () => {
    const folder = new URL('../../src/cli/', import.meta.url)
    for (const file of readdirSync(folder)) {
      if (file === 'print.ts') continue
      const text = readFileSync(new URL(file, folder), 'utf8')
      assert.doesNotMatch(
        text,
        /process\.std(?:err|out(?!\.on\())|= process$|\bconsole\.(?:log|info|warn|error|debug)\(/m,
        file,
      )
    }
  })
})
