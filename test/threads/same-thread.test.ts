import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessagePort } from 'node:worker_threads'
import { SameThread, type Serve } from '../../src/threads/same-thread.ts'

const twice: Serve = (port) => port.on('message', (said: number) => port.postMessage(said * 2))

describe('work in the thread that posts it', () => {
  test('answers messages posted before it was loaded, in order', async () => {
    const answers: number[] = []
    const done = Promise.withResolvers<void>()
    const thread = new SameThread<number, number>(async () => twice, {
      message: (answer) => {
        if (answers.push(answer) === 3) done.resolve()
      },
      ended: (cause) => done.reject(cause),
    })
    for (const each of [1, 2, 3]) thread.post(each)
    await done.promise
    assert.deepEqual(answers, [2, 4, 6])
    await thread.terminate()
  })

  test('closes its resources when it is given up, even while nothing keeps the process', async () => {
    let closed = false
    const started = Promise.withResolvers<void>()
    const serve = (port: MessagePort) => {
      port.on('close', () => {
        closed = true
      })
      twice(port)
    }
    const thread = new SameThread<number, number>(async () => serve, {
      message: () => started.resolve(),
      ended: (cause) => started.reject(cause),
    })
    thread.post(1)
    await started.promise
    thread.unref()
    await thread.terminate()
    assert.ok(closed)
    assert.equal(thread.running, null)
  })

  test('that cannot begin ends with the reason, and may begin again', async () => {
    let fault: Error | null = new Error('no room')
    const heard: unknown[] = []
    let next = Promise.withResolvers<void>()
    const thread = new SameThread<number, number>(
      async () => {
        if (fault !== null) throw fault
        return twice
      },
      {
        message: (answer) => {
          heard.push(answer)
          next.resolve()
        },
        ended: (cause) => {
          heard.push(cause)
          next.resolve()
        },
      },
    )
    thread.post(1)
    await next.promise
    assert.deepEqual(heard, [fault])
    fault = null
    next = Promise.withResolvers()
    thread.post(4)
    await next.promise
    assert.equal(heard[1], 8)
    await thread.terminate()
  })
})
