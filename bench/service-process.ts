/** The real service as a child process on a fresh directory, with a company, a sending domain and a key made by its own command line. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pinned } from './pinned-process.ts'

const POSTROAD = fileURLToPath(new URL('../bin/postroad', import.meta.url))
/** Clock ticks a second of the CPU times in /proc (proc(5)); 100 on every Linux that Node runs on. */
const TICKS = 100

export interface ServiceProcess {
  port: number
  token: string
  from: string
  pid: number
  /** User and system CPU-ms used so far; NaN where /proc is missing. */
  cpu(): number
  /** Highest resident set so far in octets; NaN where /proc is missing. */
  peakMemory(): number
  stop(): Promise<void>
}

export interface ServiceChoice {
  directory: string
  cpus: string
  /** `POSTROAD_...` settings. */
  settings: Record<string, string>
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Resolves as soon as the port accepts connections; fails when the process ends before. */
async function listening(port: number, child: ChildProcess, logPath: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) {
      throw new Error(
        `the service ended with ${child.exitCode}:\n${readFileSync(logPath, 'utf8').slice(-2000)}`,
      )
    }
    const socket = net.connect(port, '127.0.0.1')
    const reached = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (reached) return
    await pause(50)
  }
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
  directory,
  cpus,
  settings,
}: ServiceChoice): Promise<ServiceProcess> {
  const port = await freePort()
  const env = {
    ...process.env,
    POSTROAD_LISTEN: `127.0.0.1:${port}`,
    POSTROAD_DATABASE_URL: `sqlite:${join(directory, 'postroad.db')}`,
    POSTROAD_HOSTNAME: 'bench.test',
    POSTROAD_LOG_LEVEL: 'warn',
    ...settings,
  }
  const run = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(POSTROAD, [...args, '--json'], { env, cwd: directory })
    return JSON.parse(stdout) as { id: string; token?: string }
  }
  const company = await run('company', 'create', 'Bench')
  await run('domain', 'add', 'bench.test', '--company', company.id)
  await run('domain', 'activate', 'bench.test')
  const { token } = await run('key', 'create', '--company', company.id, '--name', 'bench')
  if (token === undefined) throw new Error('`key create --json` printed no token')

  const logPath = join(directory, 'service.log')
  const log = createWriteStream(logPath)
  await once(log, 'open')
  const [file, args] = pinned(cpus, [POSTROAD, 'serve'])
  const child = spawn(file, args, { env, cwd: directory, stdio: ['ignore', log, log] })
  await listening(port, child, logPath)
  const pid = child.pid!
  return {
    port,
    token,
    from: 'orders@bench.test',
    pid,
    cpu: () => processStatus(pid).cpu,
    peakMemory: () => processStatus(pid).peakMemory,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
