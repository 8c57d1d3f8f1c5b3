/** The thread with the one connection that writes. */
import { parentPort, workerData } from 'node:worker_threads'
import { release } from '../../common/octets.ts'
import { largeBodies } from '../../mail/body.ts'
import type { ClaimedEmail, NewEmail } from '../store.ts'
import { buffersOf } from './bytes.ts'
import { asStoreError, openForWriting } from './database.ts'
import { type DatabaseLocation, LocationWatch } from './database-location.ts'
import { migrate } from './migrate.ts'
import { unpackCall, type WriteCall } from './parcels.ts'
import {
  faultOf,
  kindsOf,
  type ThreadCall,
  type ThreadReply,
  type ThreadRequest,
  UNCHANGED,
  type Writes,
} from './protocol.ts'
import { Checkpoints } from './write/checkpoints.ts'
import { Transactions } from './write/transaction.ts'

/** Milliseconds between two checks for other processes' writes. */
const WATCH_MS = 200

const place = workerData as DatabaseLocation
const { path } = place
const port = parentPort!

try {
  const watch = new LocationWatch(place)
  const before = watch.look()
  if (before !== null) throw before
  const db = openForWriting(path)
  migrate(db, path)
  serve(new Transactions(db, path), new Checkpoints(db, path), watch)
  reply({ kind: 'opened' })
} catch (error) {
  reply({ kind: 'refused', fault: faultOf(asStoreError(error, path)) })
}

function serve(transactions: Transactions, checkpoints: Checkpoints, watch: LocationWatch): void {
  let watching: NodeJS.Timeout | undefined
  port.on('message', (request: ThreadRequest<WriteCall>) => {
    if (request.kind === 'batch') {
      const calls = request.calls.map(unpackCall)
      const asked = calls.some(({ name }) => name === 'probe')
      const lost = asked ? watch.look() : watch.recent()
      if (lost !== null) {
        const outcome = { fault: faultOf(lost) }
        reply({ kind: 'done', outcomes: calls.map(() => outcome), changed: UNCHANGED, commits: 0 })
        return
      }
      const result = transactions.run(calls)
      const moved: ArrayBuffer[] = []
      for (const [index, call] of calls.entries()) {
        const outcome = result.outcomes[index]!
        if (call.name !== 'claim' || 'fault' in outcome) continue
        for (const email of outcome.value as ClaimedEmail[]) moved.push(...buffersOf(email))
      }
      reply({ kind: 'done', ...result }, moved)
      for (const call of calls) releaseOctets(call)
      if (result.commits > 0) checkpoints.look()
      else checkpoints.relieve()
    } else {
      clearInterval(watching)
      if (request.on) watching = setInterval(look, WATCH_MS)
    }
  })

  function look(): void {
    if (watch.look() !== null) return
    const changed = transactions.look()
    if (kindsOf(changed).length > 0) reply({ kind: 'changed', changed })
  }
}

/** The octets of a call were moved to this thread, and are in the database now, or never will be. */
function releaseOctets(call: ThreadCall<Writes>): void {
  if (call.name === 'record') release(call.args[0].captured)
  else if (call.name === 'accept') releaseEmail(call.args[0])
  else if (call.name === 'acceptAll') call.args[0].emails.forEach(releaseEmail)
}

function releaseEmail({ content, raw }: NewEmail): void {
  for (const file of content.attachments) release(file.content)
  for (const body of largeBodies(content)) release(body)
  release(raw)
}

function reply(message: ThreadReply, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved)
}
