// npm run bench:compare: installs what is missing, then compares with other mail systems. Arguments after -- go to
// bench/compare.ts.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled()
process.exitCode = await runThrough(node, [join(root, 'bench', 'compare.ts'), ...process.argv.slice(2)])
