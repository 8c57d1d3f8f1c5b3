// npm start: installs what is missing, then serves. Arguments after -- go to `postroad serve`.
import { join } from 'node:path'
import { ensureInstalled, root, runThrough } from './installed.mjs'

await ensureInstalled()
process.exitCode = await runThrough(join(root, 'bin', 'postroad'), ['serve', ...process.argv.slice(2)])
