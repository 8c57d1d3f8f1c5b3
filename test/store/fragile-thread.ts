/** A thread that answers as the threads of the store do, and ends by itself when it is asked to. */
import { parentPort, workerData } from 'node:worker_threads'

const { path } = workerData as { path: string }
const port = parentPort!

interface Batch {
  calls: { name: string; args: unknown[] }[]
}

port.on('message', ({ calls }: Batch) => {
  const fatal = calls.find(({ name }) => name === 'exit' || name === 'throw')
  if (fatal?.name === 'throw') throw new Error('a fault of the program')
  if (fatal !== undefined) process.exit(7)
  port.postMessage({
    kind: 'done',
    outcomes: calls.map(({ args }) => ({ value: args })),
    changed: { accounts: false, queue: false, stops: false },
    commits: 1,
  })
})
if (path === 'refuses') {
  port.postMessage({ kind: 'refused', fault: { kind: 'StoreUnavailable', message: 'cannot be opened' } })
} else {
  port.postMessage({ kind: 'opened' })
}
