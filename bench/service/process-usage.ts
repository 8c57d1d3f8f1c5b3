/** The resources that processes have used so far, from /proc (proc(5)); all NaN where /proc is missing. */
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second of the CPU times in /proc; 100 on every Linux that Node runs on. */
const TICKS = 100

interface Stat {
  parent: number
  /** Ticks of the process itself; `withChildren`: those of its children that have ended are added. */
  own: number
  withChildren: number
}

function stat(pid: number): Stat | null {
  try {
    // The command name, field 2, may hold spaces; ppid is field 4, utime, stime, cutime and cstime are fields 14 to 17.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const own = Number(fields[11]) + Number(fields[12])
    return { parent: Number(fields[1]), own, withChildren: own + Number(fields[13]) + Number(fields[14]) }
  } catch {
    return null
  }
}

/** User and system CPU-ms of one process, all its threads. */
export function processCpu(pid: number): number {
  return ((stat(pid)?.own ?? Number.NaN) * 1000) / TICKS
}

/** User and system CPU-ms of a process and all its descendants, ended ones included. */
export function treeCpu(root: number): number {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const found = Number.isInteger(pid) ? stat(pid) : null
    if (found) stats.set(pid, found)
  }
  let ticks = 0
  for (const [pid, { withChildren }] of stats) {
    let at = pid
    while (at !== root && stats.has(at)) at = stats.get(at)!.parent
    if (at === root) ticks += withChildren
  }
  return (ticks * 1000) / TICKS
}

/** CPU-ms. */
export interface Usage {
  user: number
  system: number
}

export function wholeOf({ user, system }: Usage): number {
  return user + system
}

export function addUsage(to: Map<string, Usage>, name: string, { user, system }: Usage): void {
  const before = to.get(name) ?? { user: 0, system: 0 }
  to.set(name, { user: before.user + user, system: before.system + system })
}

/** The CPU time of a process's threads so far, summed up by thread name; empty where /proc is missing. */
export function threadUsage(pid: number): Map<string, Usage> {
  const usage = new Map<string, Usage>()
  for (const thread of tasksOf(pid)) {
    try {
      const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')
      const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const ms = (ticks: string | undefined) => (Number(ticks) * 1000) / TICKS
      addUsage(usage, name, { user: ms(fields[11]), system: ms(fields[12]) })
    } catch {
      // The thread has just ended.
    }
  }
  return usage
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The number of file descriptors that a process has open. */
export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}
