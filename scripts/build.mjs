// npm run build: installs what is missing, then builds the page of the console where that is needed.
import { build } from './console.mjs'
import { ensureInstalled, node, runThrough } from './installed.mjs'

await ensureInstalled()
process.exitCode = await runThrough(node, build)
