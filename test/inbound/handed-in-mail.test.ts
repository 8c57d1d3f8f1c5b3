/** Mail that programs hand in while sending keeps the service busy: companies take turns, and some come again later. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bounce } from '../../harness/returned-mail.ts'
import { JsonDialect } from '../../src/http/json/routes.ts'
import { HandedInMail, TooManyHandedIn } from '../../src/inbound/handed-in-mail.ts'
import { ReturnedMailPace } from '../../src/inbound/pace.ts'
import { mailReceiver } from '../../src/inbound/receive-mail.ts'
import { RETURN_PATHS, ReturnPathKey } from '../../src/mail/return-path/return-path.ts'
import { Workers } from '../../src/workers/workers.ts'
import { serveApis } from '../http/serve.ts'
import { until } from '../support/until.ts'
import { InboundRig } from './rig.ts'

const MAX_WAITING = 100

/** A thread whose load the test decides. Time passes for its pace only while `passing`. */
class Thread {
  busy = true
  passing = true
  readonly pace: ReturnedMailPace
  #now = 0
  #active = 0

  constructor() {
    this.pace = new ReturnedMailPace({
      now: () => this.#passed(),
      isSending: () => true,
      utilization: () => ({ active: this.#active, idle: this.#now - this.#active }),
      onWaiting: () => {},
    })
  }

  /** Time stands still at the lowest pace, and nothing has room to begin. */
  async stall(): Promise<void> {
    const leaving = new AbortController()
    let begun = 0
    const flood = Array.from({ length: 1_000 }, () =>
      this.pace.turn('flood', leaving.signal).then(
        () => begun++,
        () => {},
      ),
    )
    // By the halved paces 200 begin, and then five in a second.
    await until(() => begun >= 230, 'the lowest pace')
    this.passing = false
    leaving.abort()
    await Promise.all(flood)
  }

  #passed(): number {
    if (!this.passing) return this.#now
    this.#now += 100
    this.#active += this.busy ? 100 : 0
    return this.#now
  }
}

test('is refused when too many mails of its company wait, and others wait for their turn', async (t: TestContext) => {
  await using rig = await InboundRig.start({ bounceListeners: [] })
  const { service } = rig
  const { id, path } = await rig.send(['gone@rcpt.test'])
  const other = await service.company('Other')
  const { token } = await service.key(other.id, { scopes: ['management'] })
  const workers = new Workers({ memory: 64, onDeath: assert.fail })
  t.after(() => workers.close())
  const receive = mailReceiver({
    ...{ store: service.store, fullMailbox: null, domainReports: null, workers: null, now: Date.now },
    returnPathKey: new ReturnPathKey(service.app.seal.derive(RETURN_PATHS)),
    keys: () => assert.fail('no key is looked up'),
  })
  const thread = new Thread()
  // A slow machine may take longer than the usual patience to hand in all of them.
  const handedIn = new HandedInMail(receive, thread.pace, 120_000)
  const server = await serveApis(service, workers, [JsonDialect], handedIn)
  t.after(() => server.close(0))
  const { url } = await server.listen()

  async function post(mail: string, key = rig.key.token) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'message/rfc822' }
    const answer = await fetch(`${url}/inbound/mail`, { method: 'POST', headers, body: mail })
    const body = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, again: answer.headers.get('retry-after'), body }
  }

  assert.equal((await post('Subject: 0\r\n\r\n')).status, 200)
  await thread.stall()
  const waiting: ReturnType<typeof post>[] = []
  let answered = 0
  const hand = (mail: string) => waiting.push(post(mail).finally(() => answered++))
  hand(bounce({ to: 'gone@rcpt.test', addressee: path(0) }))
  // A first one may still get a turn.
  const areWaiting = () => {
    while (waiting.length - answered < MAX_WAITING) hand(`Subject: ${waiting.length}\r\n\r\n`)
    return thread.pace.waiting(rig.company.id) === MAX_WAITING
  }
  await until(areWaiting, 'the mails to wait')
  assert.equal(handedIn.underWay, MAX_WAITING)
  const refused = await post('Subject: one more\r\n\r\n')
  assert.deepEqual(
    { ...refused, body: { ...refused.body, message: '' } },
    { status: 429, again: '5', body: { statusCode: 429, message: '', name: 'rate_limit_exceeded' } },
  )
  const foreign = post('Subject: foreign\r\n\r\n', token)
  await until(() => thread.pace.waiting(other.id) === 1, 'the mail of the other company to wait')

  thread.busy = false
  thread.passing = true
  assert.equal((await foreign).status, 200)
  assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([200]))
  assert.deepEqual(await rig.states(id), ['bounced'])
  assert.equal(handedIn.underWay, 0)
})

test('is refused when its turn does not come in five seconds, and unread when its sender leaves', async ({
  mock,
}) => {
  const thread = new Thread()
  const handedIn = new HandedInMail(() => assert.fail('no mail has a turn'), thread.pace)
  const read = () => assert.fail('no mail is read')
  await thread.stall()
  mock.timers.enable({ apis: ['setTimeout'] })
  const late = handedIn.receive('company', new AbortController().signal, read)
  const leaving = new AbortController()
  const left = handedIn.receive('company', leaving.signal, read)
  mock.timers.tick(4_999)
  assert.equal(thread.pace.waiting('company'), 2)
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  mock.timers.tick(1)
  await assert.rejects(late, TooManyHandedIn)
  assert.deepEqual([thread.pace.waiting('company'), handedIn.underWay], [0, 0])
})
