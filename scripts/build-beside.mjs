// `npm run build` beside the service, which the next start profits from: it installs what the build needs.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { collect, root } from './installed.mjs'

/** Builds while the service runs, which goes first. What it says is shown when it fails. Returns what ends it. */
export function buildBeside() {
  if (!existsSync(join(root, 'console'))) return () => {}
  // With the programs that it starts it is a group, which ends as one.
  const child = spawn(process.execPath, [join(root, 'scripts', 'build.mjs')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  child.once('spawn', () => setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL))
  let stopped = false
  collect(child).then(({ code, output }) => {
    if (code === 0 || stopped) return
    process.stderr.write(`${output.trimEnd()} The service goes on.\n`)
  })
  return () => {
    stopped = true
    if (child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid)
    } catch (error) {
      // It ended in the same moment as the service.
      if (error.code !== 'ESRCH') throw error
    }
  }
}
