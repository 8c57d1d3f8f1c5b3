/** One thread after the other: each gets its own messages, and leftovers of the one before do no harm. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { SupervisedThread } from '../../src/threads/supervised-thread.ts'

type To = 'id' | 'throw' | 'exit' | 'ask' | { answer: string }

/** Answers as it is ordered; it ends by an error or without one. */
const PROGRAM = `
  const { parentPort, threadId } = require('node:worker_threads')
  parentPort.on('message', (told) => {
    if (told === 'throw') throw new TypeError('as told')
    if (told === 'exit') process.exit(7)
    parentPort.postMessage(told === 'id' ? threadId : told)
  })
`
const MODULE = new URL(
  `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'
const require = createRequire(process.cwd() + '/x.js');${PROGRAM}`)}`,
)

function supervised() {
  const said: unknown[] = []
  const ends: [cause: string, code: number][] = []
  const answers: ((message: To) => void)[] = []
  const news = new EventTarget()
  const thread = new SupervisedThread<To, unknown>(
    { module: MODULE, name: 'test', workerData: null },
    {
      message: (message, answer) => {
        said.push(message)
        answers.push(answer)
        news.dispatchEvent(new Event('said'))
      },
      ended: (cause, code) => {
        ends.push([String(cause), code])
        news.dispatchEvent(new Event('ended'))
      },
    },
  )
  const post = async (message: To, event: 'said' | 'ended') => {
    const heard = once(news, event)
    thread.post(message)
    await heard
  }
  return { thread, said, ends, answers, news, post }
}

test('it starts with the first message, and another with the next after it has ended, by an error or without', async (t) => {
  const { thread, said, ends, post } = supervised()
  t.after(() => thread.terminate())
  assert.equal(thread.running, null)
  await post('id', 'said')
  await post('throw', 'ended')
  assert.equal(thread.running, null)
  await post('id', 'said')
  await post('exit', 'ended')
  await post('id', 'said')
  assert.equal(new Set(said).size, 3)
  assert.deepEqual(ends, [
    ['TypeError: as told', 1],
    ['null', 7],
  ])
})

test('a killed thread reports its end; an ended one reports nothing more, and its requests get no answer', async (t) => {
  const { thread, said, ends, answers, news, post } = supervised()
  t.after(() => thread.terminate())
  await post('ask', 'said')
  const ended = once(news, 'ended')
  await Promise.all([thread.kill(), ended])
  assert.equal(ends.length, 1)

  await post('ask', 'said')
  const [gone, asked] = answers
  thread.post('id')
  await thread.terminate()
  await post('ask', 'said')
  gone!({ answer: 'to the first' })
  asked!({ answer: 'to the second' })
  await post('id', 'said')
  assert.deepEqual(said.slice(0, -1), ['ask', 'ask', 'ask'])
  assert.equal(ends.length, 1)
})
