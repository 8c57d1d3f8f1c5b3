/** The real service as a child process, and what its process used so far. */
import { readFileSync } from 'node:fs'
import { Installation } from '../test/support/service-child.ts'
import { pinning } from './pinned-process.ts'

/** Clock ticks a second of the CPU times in /proc (proc(5)); 100 on every Linux that Node runs on. */
const TICKS = 100

export interface ServiceProcess {
  port: number
  token: string
  from: string
  directory: string
  /** User and system CPU-ms used so far, all threads; NaN where /proc is missing. */
  cpu(): number
  /** Highest resident set so far in octets; NaN where /proc is missing. */
  peakMemory(): number
  /** Stops it as an operator would, and removes its directory. */
  stop(): Promise<void>
}

export interface ServiceChoice {
  /** Parent of its directory. */
  parent: string
  cpus: string
  /** `POSTROAD_...` settings. */
  settings: Record<string, string>
}

function processStatus(pid: number): { cpu: number; peakMemory: number } {
  try {
    // The command name, field 2, may hold spaces; utime and stime are fields 14 and 15 (proc(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const cpu = ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return { cpu, peakMemory: Number(peak) * 1024 }
  } catch {
    return { cpu: Number.NaN, peakMemory: Number.NaN }
  }
}

export async function startServiceProcess({
  parent,
  cpus,
  settings,
}: ServiceChoice): Promise<ServiceProcess> {
  const installation = new Installation(settings, parent)
  try {
    const { token, domain } = await installation.addTenant('bench.test')
    const child = await installation.serve({ prefix: pinning(cpus) })
    return {
      port: child.port,
      token,
      from: `orders@${domain}`,
      directory: installation.directory,
      cpu: () => processStatus(child.pid).cpu,
      peakMemory: () => processStatus(child.pid).peakMemory,
      stop: async () => {
        if (process.env.KEEPDIR) {
          console.error(installation.directory)
          return
        }
        await child.kill('SIGTERM')
        await installation.remove()
      },
    }
  } catch (error) {
    await installation.remove()
    throw error
  }
}
