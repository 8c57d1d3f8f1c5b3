// npm run build: installs what is missing, then builds the page of the console where that is needed.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled('service')
await ensureInstalled('page')
process.exitCode = await runThrough(node, [join(root, 'scripts', 'build-console.ts')])
