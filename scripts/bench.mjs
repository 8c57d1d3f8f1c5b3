// npm run bench: installs what is missing, then measures. Arguments after -- go to bench/run.ts.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled()
process.exitCode = await runThrough(node, [join(root, 'bench', 'run.ts'), ...process.argv.slice(2)])
