/**
 * A thread of the isolated process that ends the process when the service is gone, even while the main thread is stuck.
 */
import { workerData } from 'node:worker_threads'

const LOOK_MS = 500

const { parent } = workerData as { parent: number }

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, LOOK_MS)
