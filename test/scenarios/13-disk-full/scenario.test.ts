/**
 * 13: the disk is full.
 *
 * The service may not write files over a few megabytes, as on a disk without room. As soon as a message cannot be made durable, it is not
 * accepted: 503 with a time to try again, nothing stored of it; and /ready answers 503 as well. What was accepted before stays readable.
 * With room again the service goes on by itself, and everything that had a 200 arrives, and nothing that had a 503.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ApiClient } from '../../support/api-client.ts'
import { onPostgres } from '../../support/engine.ts'
import { Installation } from '../../support/installation.ts'
import { startSink } from '../../support/sink.ts'

/** `ulimit -f` counts blocks of 512 octets (POSIX): no file over 6 MB, until the test raises the limit. */
const LIMITED = ['sh', '-c', 'ulimit -S -f 12288; exec "$@"', 'sh']

/** A database server has its own behaviour on a full disk; scenario 14 shows ours while it is away. */
const skip = onPostgres && 'the database is not a file here'

test('mail that cannot be stored is not accepted, and accepted mail is not lost', { skip }, async () => {
  await using sink = await startSink()
  await using installation = new Installation({
    POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    POSTROAD_RETRY_SCHEDULE: Array(60).fill('1s').join(),
    // With no room for their results, open attempts would be waited for until the end of it.
    POSTROAD_SHUTDOWN_TIMEOUT: '1s',
    POSTROAD_METRICS_LISTEN: 'same',
    POSTROAD_LOG_LEVEL: 'info',
  })
  const { token } = await installation.addTenant('acme.test')
  // Nothing may be delivered meanwhile: the accepted mail has to fill the disk.
  let open = false
  sink.script = ({ step }) =>
    step === 'connect' && !open ? { reply: '421 4.3.2 closed for now', close: true } : undefined

  const told: string[] = []
  const onLine = (line: string) => told.push(...(/not ready|ready again/.exec(line) ?? []))
  const limited = await installation.serve({ prefix: LIMITED, onLine })
  const api = new ApiClient(limited.url, token)
  const ready = async () => (await fetch(`${limited.url}/ready`)).status
  const accepted: string[] = []
  let refusals = 0
  let promised = false
  for (let n = 0; refusals < 3; n++) {
    assert.ok(n < 200, 'the limit was never reached')
    const attachments = [{ filename: 'a.bin', content: randomBytes(150_000).toString('base64') }]
    const email = { from: 'a@acme.test', to: `n${n}@in.test`, subject: `n${n}`, text: 'n', attachments }
    const { status, body, headers } = await api.send(email)
    if (status === 200) {
      accepted.push(`n${n}@in.test`)
      promised = false
    } else {
      assert.equal(status, 503, JSON.stringify(body))
      assert.equal(body.name, 'application_error')
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
      assert.ok(!promised, 'ready, and the next message is refused')
      // What was refused made the database tidy up: there may be room again.
      promised = (await ready()) === 200
      if (promised) continue
      refusals++
      assert.match(await (await fetch(`${limited.url}/metrics`)).text(), /^postroad_ready 0$/m)
    }
  }
  assert.ok(accepted.length > 5, 'hardly anything was accepted before the limit')
  // Something tiny could be written all the time, and would soon be believed to be mail.
  for (let asked = 0; asked < 20; asked++) assert.equal(await ready(), 503)

  execFileSync('prlimit', ['--pid', String(limited.pid), '--fsize=unlimited'])
  assert.equal(await ready(), 200)
  open = true
  await sink.until(accepted.length)
  const got = new Set(sink.messages.flatMap(({ recipients }) => recipients))
  assert.deepEqual([...got].sort(), [...accepted].sort())
  await api.lastEvent(
    await api.accepted({ from: 'a@acme.test', to: 'after@in.test', subject: 'after', text: 'after' }),
    'delivered',
  )
  assert.equal(sink.messages.length, accepted.length + 1)
  assert.equal(await limited.kill('SIGTERM'), 0)
  await limited.lastLines()
  // Once for each time that it changed.
  assert.deepEqual(
    told,
    told.map((_, index) => (index % 2 === 0 ? 'not ready' : 'ready again')),
  )
  assert.equal(told.at(-1), 'ready again')
})
