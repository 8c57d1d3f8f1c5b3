// npm run build: installs what is missing, then builds the page of the console and the program where they are not of these sources.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled('service')
await ensureInstalled('page')
for (const [name, script] of [
  ['The page of the console', 'build-console.ts'],
  ['The program', 'build-program.ts'],
]) {
  const code = await runThrough(node, [join(root, 'scripts', script)])
  if (code === 0) continue
  process.stderr.write(`\n${name} could not be built.\n`)
  process.exitCode = code
}
