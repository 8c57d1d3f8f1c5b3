// Loaded into each process of a test by scripts/test.mjs, and with it into every thread that the process starts: there are thousands,
// and what is for tests would take a tenth of the start of each.
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  await import('./test-cost.mjs')
  await import('./test-end.mjs')
  await import('./test-keys.mjs')
  await import('./test-passwords.mjs')
  await import('./test-threads.mjs')
}
