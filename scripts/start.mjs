// npm start: installs what is missing, then serves, and beside it builds the page of the console and the program where that is
// needed. Arguments after -- go to `postroad serve`.
import { join } from 'node:path'
import { buildBeside } from './build-beside.mjs'
import { ensureInstalled, root, runThrough } from './installed.mjs'

await ensureInstalled('service')
const served = runThrough(join(root, 'bin', 'postroad'), ['serve', ...process.argv.slice(2)])
const stopBuilding = buildBeside()
process.exitCode = await served
stopBuilding()
