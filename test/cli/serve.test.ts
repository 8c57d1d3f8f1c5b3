import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { firstStartText } from '../../src/cli/banner.ts'
import { newWorkplace, type Serving, serve, type Workplace } from './postroad.ts'

interface EmailLine {
  id: string
  subject: string
  last_event: string
}

describe('the first start in capture mode', () => {
  let place: Workplace
  let service: Serving
  before(async () => {
    place = newWorkplace()
    service = await serve(place, [], /--raw/)
  })
  after(() => place.remove())

  /** What stands between the quotes after an option of the printed curl commands. */
  function pasted(pattern: RegExp): string {
    const found = pattern.exec(service.stdout())
    assert.ok(found, `${pattern} is not in:\n${service.stdout()}`)
    return found[1]!
  }

  test('prints the JSON request, which is accepted as printed', async () => {
    const response = await fetch(pasted(/curl (http\S+\/emails) \\/), {
      method: 'POST',
      headers: {
        authorization: pasted(/-H 'Authorization: (Bearer pr_[^']+)'/),
        'content-type': pasted(/-H 'Content-Type: ([^']+)'/),
      },
      body: pasted(/-d '([^']+)'/),
    })
    const { id } = (await response.json()) as { id: string }
    assert.equal(response.status, 200)

    const look = await fetch(`${service.url}/emails/${id}`, {
      headers: { authorization: pasted(/curl -H 'Authorization: ([^']+)'/) },
    })
    assert.equal(look.status, 200)
  })

  test('prints the form request, which is accepted as printed', async () => {
    const form = new FormData()
    for (const [, name, quoted, bare] of service.stdout().matchAll(/-F (\w+)=(?:'([^']*)'|(\S+))/g)) {
      form.set(name!, quoted ?? bare!)
    }
    const credentials = Buffer.from(pasted(/-u '([^']+)'/)).toString('base64')
    const response = await fetch(pasted(/curl (http\S+\/messages) \\/), {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: form,
    })
    assert.equal(response.status, 200, await response.text())
  })

  test('is followed by commands that show the sent message, down to its signature', async () => {
    const emails = await place.json<EmailLine[]>('email', 'list')
    assert.equal(emails.length, 2)
    for (const { id } of emails) {
      const raw = await place.run('email', 'show', id, '--raw')
      assert.equal(raw.code, 0, raw.stderr)
      assert.match(raw.stdout, /^DKIM-Signature:[\s\S]*\bd=acme\.test\b/m)
      assert.match(raw.stdout, /^Subject: Hello\r$/m)
      const shown = await place.run('email', 'show', id)
      assert.match(shown.stdout, /you@example\.com +to +\w+/)
    }
    assert.match((await place.run('email', 'list')).stdout, /Hello/)
    assert.match((await place.run('email', 'show', 'nothing')).stderr, /no email with the id "nothing"/)
  })

  test('leaves accounts that commands change while the service runs', async () => {
    const body = JSON.stringify({ from: 'a@acme.test', to: 'b@x.test', text: 'x' })
    const send = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(`${service.url}/emails`, { method: 'POST', headers, body })
      await response.arrayBuffer()
      return response.status
    }
    const key = await place.json<{ id: string; token: string }>(
      'key',
      'create',
      '--company',
      'Acme',
      '--name',
      'k',
    )
    await until(async () => (await send(key.token)) === 200)
    await place.json('domain', 'suspend', 'acme.test')
    await until(async () => (await send(key.token)) === 403)
    await place.json('key', 'revoke', key.id)
    await until(async () => (await send(key.token)) === 401)
  })

  test('happens once: a second service on the same database is refused, and a later start creates nothing', async () => {
    await assert.rejects(serve(place), /serve ended with 1: postroad: [^\n]+\n$/)
    const { code, stderr } = await service.stop()
    assert.deepEqual([code, stderr], [0, ''])
    const keys = await place.json<unknown[]>('key', 'list')
    service = await serve(place)
    assert.ok(!service.stdout().includes('pr_'))
    assert.equal((await place.json<unknown[]>('key', 'list')).length, keys.length)
  })
})

describe('serve', () => {
  let place: Workplace
  before(() => {
    place = newWorkplace({ POSTROAD_DELIVERY: 'direct' })
  })
  after(() => place.remove())

  test('creates nothing where mail leaves, but says how to begin without a console', async () => {
    place.env.POSTROAD_CONSOLE_LISTEN = 'off'
    const service = await serve(place, [], /key create/)
    delete place.env.POSTROAD_CONSOLE_LISTEN
    const lines = [...service.stdout().matchAll(/^ {2}bin\/postroad (\w+ \w+ .*)$/gm)].map(
      (match) => match[1]!,
    )
    assert.equal(lines.length, 3)
    for (const line of lines) {
      const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2]!)
      const { code, stderr } = await place.run(...args)
      assert.deepEqual([code, stderr], [0, ''], line)
    }
    assert.equal((await service.stop('SIGINT')).code, 0)
  })

  test('with --json prints its address as one JSON line', async () => {
    const service = await serve(place, ['--json'], /^\{"url".*\n/m)
    const line = service
      .stdout()
      .split('\n')
      .find((text) => text.startsWith('{"url"'))!
    const { console, ...rest } = JSON.parse(line)
    assert.deepEqual(rest, { url: service.url, firstStart: null })
    assert.ok(console.startsWith(`${service.url}/console/sign-in#token=`), console)
    await service.stop()
  })

  test('ends with one line when the port is taken', async () => {
    const holder = createServer()
    const port = await new Promise<number>((resolve) => {
      holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port))
    })
    const other = newWorkplace({ POSTROAD_LISTEN: `127.0.0.1:${port}` })
    try {
      const message = new RegExp(`ended with 1: postroad: .*127\\.0\\.0\\.1:${port} is in use[^\\n]*\\n$`)
      await assert.rejects(serve(other), message)
      // The key is shown once: a start that came to nothing must not have used that up.
      other.env.POSTROAD_LISTEN = '127.0.0.1:0'
      assert.match((await serve(other, [], /--raw/)).stdout(), /\bpr_\w+/)
      const metrics = newWorkplace({ POSTROAD_METRICS_LISTEN: `127.0.0.1:${port}` })
      await assert.rejects(serve(metrics), /in use: .* set POSTROAD_METRICS_LISTEN to another one\n$/)
      metrics.remove()
    } finally {
      holder.close()
      other.remove()
    }
  })

  test('ends with one line when a certificate or a name cannot be used', async () => {
    const tls = newWorkplace({ POSTROAD_TLS_CERT: 'none.pem', POSTROAD_TLS_KEY: 'none.key' })
    const name = newWorkplace({ POSTROAD_LISTEN: 'nowhere.invalid:0' })
    try {
      await assert.rejects(serve(tls), /ended with 1: postroad: POSTROAD_TLS_CERT [^\n]*none\.pem[^\n]*\n$/)
      await assert.rejects(
        serve(name),
        /ended with 1: postroad: the name nowhere\.invalid is not known[^\n]*\n$/,
      )
    } finally {
      tls.remove()
      name.remove()
    }
  })
})

/** Waits until it is so; the test's own time limit ends a wait in vain. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('SMTP in capture mode', () => {
  test('is printed by the first start, and takes mail with any From', async () => {
    const place = newWorkplace({ POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0?login=off' })
    try {
      const service = await serve(place, [], /--raw/)
      const [, host, port] = /host (\S+), port (\d+), no encryption, no user, no password/.exec(
        service.stdout(),
      )!
      assert.match(service.stdout(), /Mail without a password belongs to "Acme", whatever its From\./)
      await createTransport({ host, port: Number(port) }).sendMail({
        from: 'Laravel <hello@example.com>',
        to: 'you@example.org',
        subject: 'From a new application',
        text: 'Hello',
      })
      const [email] = await place.json<EmailLine[]>('email', 'list')
      assert.equal(email!.subject, 'From a new application')
      await service.stop()
    } finally {
      place.remove()
    }
  })

  test('is off where another program has the ports, and the first start says so', () => {
    const submission = {
      urls: [],
      withoutLogin: [],
      taken: ['smtp://127.0.0.1:1025', 'smtp://127.0.0.1:2525'],
    }
    const places = { url: 'http://127.0.0.1:8587', submission, signInLink: null }
    const text = firstStartText(places, { company: 'Acme', domain: 'acme.test', token: 'pr_x' })
    assert.match(text, /SMTP is off, because another program has port 1025 and 2525\./)
    assert.match(text, /POSTROAD_SUBMISSION_LISTEN=smtp:\/\/127\.0\.0\.1:1026\?login=off/)
  })
})
