/** Reads beside the writer: each call sees the last commit and waits for no lock. */
import type { MessagePort } from 'node:worker_threads'
import { largeBodies } from '../../mail/body.ts'
import type { ClaimedEmail, StoredEmail } from '../store.ts'
import { buffersBeneath, buffersOf } from './bytes.ts'
import { asStoreError, openForReading } from './database.ts'
import { type DatabaseLocation, LocationWatch } from './database-location.ts'
import {
  type CallResult,
  faultOf,
  type Reads,
  type ThreadCall,
  type ThreadReply,
  type ThreadRequest,
  UNCHANGED,
} from './protocol.ts'
import { readOperations } from './read/operations.ts'

/** Opens the database, and answers the calls that come through the port until the port is closed. */
export function serveReads(port: MessagePort, place: DatabaseLocation): void {
  const { path } = place
  const reply = (message: ThreadReply, moved: ArrayBuffer[] = []) => port.postMessage(message, moved)
  try {
    const lost = new LocationWatch(place).look()
    if (lost !== null) throw lost
    const db = openForReading(path)
    port.on('close', () => db.close())
    const operations = readOperations(db)
    const begin = db.prepare('BEGIN')
    const end = db.prepare('ROLLBACK')

    /** Runs a call in one read transaction, so that several statements see the same moment. */
    const run = (call: ThreadCall<Reads>): CallResult => {
      try {
        begin.run()
        const operation = operations[call.name] as (...args: unknown[]) => unknown
        return { value: operation(...call.args) }
      } catch (error) {
        return { fault: faultOf(asStoreError(error, path)) }
      } finally {
        if (db.isTransaction) end.run()
      }
    }

    port.on('message', (request: ThreadRequest<ThreadCall<Reads>>) => {
      if (request.kind !== 'batch') return
      const outcomes = request.calls.map(run)
      const moved: ArrayBuffer[] = []
      for (const [index, call] of request.calls.entries()) {
        const outcome = outcomes[index]!
        if (!('value' in outcome) || outcome.value === null) continue
        if (call.name === 'readWork') moved.push(...buffersOf(outcome.value as ClaimedEmail))
        if (call.name === 'readEmail')
          moved.push(...largeBodies((outcome.value as StoredEmail).content).flatMap(buffersBeneath))
        if (call.name === 'readFile' || call.name === 'readRaw')
          moved.push(...buffersBeneath(outcome.value as Uint8Array))
        if (call.name === 'readCapturedCopy')
          moved.push(...buffersBeneath((outcome.value as { raw: Uint8Array }).raw))
      }
      reply({ kind: 'done', outcomes, changed: UNCHANGED, commits: 0 }, moved)
    })
    reply({ kind: 'opened', operations: Object.keys(operations) })
  } catch (error) {
    reply({ kind: 'refused', fault: faultOf(asStoreError(error, path)) })
  }
}
