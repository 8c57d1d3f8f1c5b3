// npm run chaos: installs what is missing, then lets faults strike. Arguments after -- go to chaos/run.ts.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled()
process.exitCode = await runThrough(node, [join(root, 'chaos', 'run.ts'), ...process.argv.slice(2)])
