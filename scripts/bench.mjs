// npm run bench, bench:soak, bench:compare, ...: installs what is missing, then measures. The first argument is the program in bench/,
// those after -- go to it.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

const [program, ...options] = process.argv.slice(2)
await ensureInstalled()
process.exitCode = await runThrough(node, [join(root, 'bench', `${program}.ts`), ...options])
