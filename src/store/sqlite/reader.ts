/** The thread that reads beside the writer. */
import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseLocation } from './database-location.ts'
import { serveReads } from './reads.ts'

serveReads(parentPort!, workerData as DatabaseLocation)
