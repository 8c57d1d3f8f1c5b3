// npm run fuzz: installs what is missing, then fuzzes the parsers. Arguments after -- go to fuzz/run.ts.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled()
process.exitCode = await runThrough(node, [join(root, 'fuzz', 'run.ts'), ...process.argv.slice(2)])
