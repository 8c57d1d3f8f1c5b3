/** POSTROAD_DELIVERY_THREADS: so many threads deliver, as the operating system sees them. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Gate } from '../nodes/fleet.ts'
import { startRelayed } from '../support/relayed-service.ts'
import { until } from '../support/until.ts'

const MESSAGES = 6

/** Names of the threads of a process, by which `top -H` shows them. */
function threadsOf(pid: number): string[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/comm`, 'utf8').trim())
}

for (const threads of [0, 1, 3]) {
  test(`with ${threads} delivery threads set, ${threads} deliver`, {
    skip: existsSync('/proc/self/task') ? false : 'there is no /proc here that shows threads',
  }, async () => {
    await using stage = await startRelayed({ POSTROAD_DELIVERY_THREADS: String(threads) })
    const { sink, service, api } = stage
    const gate = new Gate()
    gate.close()
    sink.script = async ({ step }) => {
      if (step === 'mail') await gate.pass()
      return undefined
    }
    for (let number = 0; number < MESSAGES; number++) {
      await api.accepted({ from: 'a@acme.test', to: `n${number}@x.test`, subject: 's', text: 't' })
    }
    await until(() => gate.waiting === MESSAGES, 'all sessions to be busy')
    assert.equal(threadsOf(service.pid).filter((name) => name === 'delivery').length, threads)
    gate.open()
    await sink.until(MESSAGES)
  })
}
