/** The thread that copies pages from the write-ahead log into the database while commits go on. */
import { parentPort, workerData } from 'node:worker_threads'
import { openForWriting } from './database.ts'

const { path } = workerData as { path: string }
const port = parentPort!
const db = openForWriting(path)
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')

port.on('message', () => {
  try {
    checkpoint.get()
  } finally {
    port.postMessage('copied')
  }
})
