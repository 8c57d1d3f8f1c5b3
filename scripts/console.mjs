// How the page of the console is built: by a program that knows itself whether there is anything to do.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { collect, node, root } from './installed.mjs'

/** Goes to Node.js. */
export const build = [join(root, 'scripts', 'build-console.ts')]

/** That of whoever stops all of this: by Ctrl+C the terminal tells every program at once. */
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Builds while the service runs, which goes first. What it says is shown when it fails. Returns what ends it. */
export function buildBeside() {
  if (!existsSync(join(root, 'console'))) return () => {}
  const child = spawn(node, build, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  child.once('spawn', () => setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL))
  collect(child).then(({ code, signal, output }) => {
    if (code === 0 || STOPS.includes(signal)) return
    process.stderr.write(
      `${output.trimEnd()}\n\nThe page of the console could not be built; all else goes on.\n`,
    )
  })
  return () => child.kill()
}
