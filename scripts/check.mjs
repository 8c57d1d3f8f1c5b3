// npm run check: everything that can be said about the code without running it. Goes through all checks, whatever the first says.
import { join } from 'node:path'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'

await ensureInstalled()

const bin = (name) => join(root, 'node_modules', '.bin', name)
const checks = [
  ['types', bin('tsc'), ['-p', '.']],
  ['types of the console', bin('tsc'), ['-p', 'console']],
  ['lint and format', bin('biome'), ['check', '--error-on-warnings']],
  ['imports', node, ['scripts/layers.ts']],
  ['page of modules', node, ['scripts/house.ts', '--check']],
  ['configuration page', node, ['scripts/configuration-page.ts', '--check']],
  ['OpenAPI document', node, ['scripts/openapi.ts', '--check']],
  ['compatibility page', node, ['scripts/compatibility.ts', '--check']],
  ['files that pages name', node, ['scripts/named-files.ts']],
  ['prose', node, ['scripts/prose.ts', '--check']],
]

let failed = 0
for (const [name, command, args] of checks) {
  const code = await runThrough(command, args)
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}\n`)
  if (code !== 0) failed++
}
process.exitCode = failed === 0 ? 0 : 1
