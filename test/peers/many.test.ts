/** Many messages to a real Postfix: each arrives once, over few sessions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { missing } from './jail.ts'
import { postfixAddresses as at, Postfix } from './postfix.ts'
import { inBox, SENDER, Stage } from './stage.ts'

/** `npm run nightly` sends ten thousand. */
const MESSAGES = process.env.POSTROAD_TEST_LENGTH === 'long' ? 10_000 : 1_000
const IN_ONE_REQUEST = 100
const SESSIONS = 10
/** Ms. */
const PATIENCE = 240_000
/** The default of sites.toml. */
const MESSAGES_PER_SESSION = 100

const skip = missing('postfix') ?? false
if (skip) process.stderr.write(`NOT TESTED with Postfix: ${skip}\n`)

test('many messages arrive once each, over sessions that are used again', { skip }, async () => {
  await using stage = await Stage.set(Postfix.start, at.plain, ['many'])
  const ids: string[] = []
  {
    await using sending = await stage.direct('good.test', [at.plain], { siteConcurrency: SESSIONS })
    const email = { from: SENDER, to: ['many@good.test'], subject: 'One of many', text: 'Hello.\n' }
    while (ids.length < MESSAGES) {
      ids.push(...(await sending.api.acceptedBatch(Array(IN_ONE_REQUEST).fill(email))))
    }
    await until(async () => (await sending.service.store.queue()).length === 0, 'an empty queue', PATIENCE)
  }
  await inBox(stage.peer, 'many', MESSAGES)

  const { wholeLog } = stage.peer
  const taken = [...wholeLog.matchAll(/ message-id=<([^@]+)@/g)].map(([, id]) => id!)
  assert.equal(taken.length, MESSAGES)
  assert.deepEqual(new Set(taken), new Set(ids))
  // What has no MAIL is the look at whether it listens.
  const sessions = [...wholeLog.matchAll(/ disconnect from .* mail=(\d+)/g)].map(([, mail]) => Number(mail))
  assert.equal(
    sessions.reduce((sum, mail) => sum + mail),
    MESSAGES,
  )
  assert.ok(
    sessions.length <= MESSAGES / MESSAGES_PER_SESSION + SESSIONS,
    `${sessions.length} sessions for ${MESSAGES} messages`,
  )
})
