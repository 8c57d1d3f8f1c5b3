// Loaded into each test process by scripts/test-process.mjs. Threads that services start within a test come from dist, which `npm test`
// without arguments has just built from the same sources: a thread of few large modules starts in half the processor time, and tests
// start thousands. POSTROAD_TEST_BUILT names the folder.
import { readdirSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads from 'node:worker_threads'

const built = process.env.POSTROAD_TEST_BUILT
const sources = join(import.meta.dirname, '..', 'src')

/** Names in dist: that of the file, or its whole path where files of other folders share it (build-program.ts). */
function namesOf(path) {
  const parts = path
    .slice(sources.length + 1)
    .replace(/\.ts$/, '.js')
    .split('/')
  return [parts.join('-'), parts.at(-1)]
}

if (built) {
  const files = new Set(readdirSync(built))
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(module, options) {
      const path = module instanceof URL && module.protocol === 'file:' ? fileURLToPath(module) : ''
      const name = path.startsWith(sources) && namesOf(path).find((each) => files.has(each))
      super(name ? pathToFileURL(join(built, name)) : module, options)
    }
  }
  syncBuiltinESMExports()
}
