// Loaded into each test file by scripts/test.mjs: ends a file that would hang until its time is over, and says why. A set-up that fails
// may leave servers, processes or connections open, which keep the file from its end; and Node.js keeps a file alive whose tests wait
// for something that cannot come any more, as the word of a program that has died of a syntax error.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

/** Ms for what ends by itself: what other hooks close, connections on their way down, processes that were told to stop. */
const GRACE = 10_000

let ended = false

function endSoon(why) {
  setTimeout(() => {
    // Pipes are those of the standard streams; beside that of a program stands the program.
    const sentence = why(process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap'))
    if (sentence === null) return
    process.stderr.write(`${sentence}\n`)
    process.exit(1)
  }, GRACE).unref()
}

// Threads and processes that a test starts may load this, too.
if (isMainThread && process.argv[1]?.endsWith('.test.ts')) {
  after(() => {
    ended = true
    endSoon(
      (open) => `The tests of this file have ended, and it does not: it has left open ${open.join(', ')}.`,
    )
  })
  process.once('beforeExit', () => {
    // One timer is that by which Node.js keeps the file alive. With more, something has come after all.
    endSoon((open) =>
      ended || open.length > 1
        ? null
        : 'A test waits for something, and nothing is open that it could come from.',
    )
  })
}
