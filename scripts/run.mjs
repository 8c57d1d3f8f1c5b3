// npm run bench, bench:soak, chaos, fuzz, ...: installs what is missing, then runs the program that the first argument names from the
// root of the checkout. Those after -- go to it.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

const [program, ...options] = process.argv.slice(2)
await ensureInstalled()
process.exitCode = await runThrough(node, [join(root, program), ...options])
