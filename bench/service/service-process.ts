/** The real service as one child process, or as an API node and some delivery nodes, with the resources that its processes have used so far. */
import { Installation } from '../../harness/service/installation.ts'
import { processMemory } from '../../harness/service/process-memory.ts'
import type { ServiceChild } from '../../harness/service/service-child.ts'
import type { Tenant } from '../../harness/service/tenant.ts'
import { whenInterrupted } from '../interrupted.ts'
import { pinning } from './pinned-process.ts'
import { addUsage, processCpu, threadUsage, type Usage } from './process-usage.ts'

export interface ServiceProcess {
  port: number
  /** The port of SMTP submission; null: it is off. */
  submissionPort: number | null
  /** The port for returned mail; null: it is off. */
  bouncePort: number | null
  token: string
  from: string
  directory: string
  /** Process ids, first that of the node that accepts requests. */
  pids: number[]
  installation: Installation
  tenant: Tenant
  /** User and system CPU-ms used so far, all threads of all nodes; NaN where /proc is missing. */
  cpu(): number
  /** The same by thread name, all nodes together; empty where /proc is missing. */
  threads(): Map<string, Usage>
  /** Highest resident set of a node so far in octets; NaN where /proc is missing. */
  peakMemory(): number
  /** Where each node listens, in the order of `pids`. */
  urls: string[]
  /** Address of each node's debugger; null where there is none. */
  inspectors: (string | null)[]
  /** The last lines of each node's log. */
  logs(): string[][]
  /** Stops the service as an operator would, and removes its directory. */
  stop(): Promise<void>
}

export interface ServiceChoice {
  /** Parent of its directory. */
  parent: string
  cpus: string
  /** `POSTROAD_...` settings. */
  settings: Record<string, string>
  /** Delivery nodes beside a node for the API alone; 0: one process does both. */
  nodes: number
  /** CPUs of each delivery node, in place of `cpus`. */
  nodeCpus?: string[]
  /** `bin/postroad` of another checkout. */
  program?: string
  /** Called when the tenant exists, before the nodes start. */
  prepare?: (installation: Installation, tenant: Tenant) => Promise<void>
}

export async function startServiceProcess(choice: ServiceChoice): Promise<ServiceProcess> {
  const { parent, cpus, settings, nodes, nodeCpus = [], program, prepare } = choice
  const installation = new Installation({ settings, parent, ...(program === undefined ? {} : { program }) })
  const forget = whenInterrupted(() => installation.remove())
  try {
    const tenant = await installation.addTenant('bench.test')
    await prepare?.(installation, tenant)
    const children: ServiceChild[] = []
    const serve = async (on: string, role: Record<string, string>) =>
      children.push(await installation.serve({ prefix: pinning(on), settings: role }))
    await serve(cpus, nodes === 0 ? {} : { POSTROAD_ROLES: 'api' })
    for (let node = 0; node < nodes; node++)
      await serve(nodeCpus[node] ?? cpus, { POSTROAD_ROLES: 'delivery' })
    const pids = children.map(({ pid }) => pid)
    return {
      port: children[0]!.port,
      submissionPort: children[0]!.submissionUrls.length > 0 ? children[0]!.submissionPort : null,
      bouncePort: children[0]!.bounceUrls.length > 0 ? children[0]!.bouncePort : null,
      token: tenant.token,
      from: `orders@${tenant.domain}`,
      directory: installation.directory,
      pids,
      installation,
      tenant,
      cpu: () => pids.reduce((sum, pid) => sum + processCpu(pid), 0),
      threads: () => addedUp(pids.map(threadUsage)),
      peakMemory: () => Math.max(...pids.map((pid) => processMemory(pid).peak)),
      urls: children.map(({ url }) => url),
      inspectors: children.map(({ inspector }) => inspector),
      logs: () => children.map((child) => child.log),
      stop: async () => {
        await Promise.all(children.map((child) => child.kill('SIGTERM')))
        await installation.remove()
        forget()
      },
    }
  } catch (error) {
    await installation.remove()
    forget()
    throw error
  }
}

function addedUp(usages: ReadonlyMap<string, Usage>[]): Map<string, Usage> {
  const sum = new Map<string, Usage>()
  for (const [name, usage] of usages.flatMap((each) => [...each])) addUsage(sum, name, usage)
  return sum
}
