// Loaded into each test file by scripts/test-process.mjs: ends a file that would hang until its time is over, and says why. A set-up that fails
// may leave servers, processes or connections open, which keep the file from its end.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

/** Ms for what ends by itself: what other hooks close, connections on their way down, processes that were told to stop. */
const GRACE = 10_000

// Threads and processes that a test starts may load this, too.
if (isMainThread && process.argv[1]?.endsWith('.test.ts')) {
  after(() => {
    setTimeout(() => {
      // Pipes are those of the standard streams; beside that of a program stands the program.
      const open = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap')
      process.stderr.write(
        `The tests of this file have ended, and it does not: it has left open ${open.join(', ')}.\n`,
      )
      process.exit(1)
    }, GRACE).unref()
  })
}
