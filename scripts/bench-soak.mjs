// npm run bench:soak: installs what is missing, then runs the service under load for as long as asked. Arguments after -- go to
// bench/soak.ts.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled()
process.exitCode = await runThrough(node, [join(root, 'bench', 'soak.ts'), ...process.argv.slice(2)])
