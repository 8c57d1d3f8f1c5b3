/** The thread with the one connection that writes. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ClaimedEmail } from '../store.ts'
import { buffersOf } from './bytes.ts'
import { asStoreError, openForWriting, prepareFile } from './database.ts'
import { migrate } from './migrate.ts'
import { faultOf, type Reply, type Request, type Writes } from './protocol.ts'
import { Checkpoints } from './write/checkpoints.ts'
import { Transactions } from './write/transaction.ts'

/** Between two looks for what other processes have written. Milliseconds. */
const WATCH_MS = 200

const { path } = workerData as { path: string }
const port = parentPort!

try {
  prepareFile(path)
  const db = openForWriting(path)
  migrate(db, path)
  serve(new Transactions(db, path), new Checkpoints(db, path))
  reply({ kind: 'opened' })
} catch (error) {
  reply({ kind: 'refused', fault: faultOf(asStoreError(error, path)) })
}

function serve(transactions: Transactions, checkpoints: Checkpoints): void {
  let watching: NodeJS.Timeout | undefined
  port.on('message', (request: Request<Writes>) => {
    if (request.kind === 'batch') {
      const result = transactions.run(request.calls)
      const moved: ArrayBuffer[] = []
      for (const [index, call] of request.calls.entries()) {
        const outcome = result.outcomes[index]!
        if (call.name !== 'claim' || 'fault' in outcome) continue
        for (const email of outcome.value as ClaimedEmail[]) moved.push(...buffersOf(email))
      }
      reply({ kind: 'done', ...result }, moved)
      if (result.commits > 0) checkpoints.look()
      else checkpoints.relieve()
    } else {
      clearInterval(watching)
      if (request.on) watching = setInterval(look, WATCH_MS)
    }
  })

  function look(): void {
    const changed = transactions.look()
    if (changed.accounts || changed.queue) reply({ kind: 'changed', changed })
  }
}

function reply(message: Reply, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved)
}
