/** A thread of the isolated process that ends it when the service is gone, whatever its main thread is caught in. */
import { workerData } from 'node:worker_threads'

const LOOK_MS = 500

const { parent } = workerData as { parent: number }

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, LOOK_MS)
