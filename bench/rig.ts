/** The processes that every measurement needs, pinned to the same CPUs: load generator, receiving servers, yardstick, database and service. */
import { randomBytes } from 'node:crypto'
import { type FakeDns, startDns, type Zone } from '../harness/dns.ts'
import type { Installation } from '../harness/service/installation.ts'
import type { Tenant } from '../harness/service/tenant.ts'
import type { Parts } from './measure.ts'
import { domainName, type MessageShape, RECIPIENT_DOMAIN, USUAL_SHAPE } from './message.ts'
import { firstCpu } from './options.ts'
import { type BenchDatabase, openDatabase } from './service/database.ts'
import { PinnedProcess } from './service/pinned-process.ts'
import { type ServiceProcess, startServiceProcess } from './service/service-process.ts'
import { OBLIGING, type SinkBehaviour } from './sink/behaviour.ts'
import type { SinkOrder } from './sink/order.ts'

export const ROUTES = ['relay', 'direct'] as const
export type Route = (typeof ROUTES)[number]

export interface RigChoice {
  cpus: string
  database: string
  /** `relay`, the default: all mail goes to the sink. `direct`: by MX look-ups at a name server of the rig. */
  route?: Route
  shape?: MessageShape
  behaviour?: SinkBehaviour
  /** Several servers, all at the same port, in place of one at 127.0.0.1. */
  peers?: { host: string; behaviour: SinkBehaviour }[]
  /** What the name server knows, in place of `sink.test` and its domains at 127.0.0.1. */
  zone?: Zone
  seed?: number
  /** Parent of the services' directories. */
  parent: string
  nodes?: number
  /** CPUs of each delivery node, in place of `cpus`. */
  nodeCpus?: string[]
  settings: Record<string, string>
  /** `bin/postroad` of another checkout. */
  program?: string
}

/** Called when the tenant exists, before the service starts; `database` is the postgres:// URL, null: the installation's SQLite file. */
export type Preparation = (
  installation: Installation,
  tenant: Tenant,
  database: string | null,
) => Promise<void>

export class Rig implements AsyncDisposable {
  readonly choice: RigChoice
  readonly load: PinnedProcess
  readonly sink: PinnedProcess
  readonly limits: PinnedProcess
  readonly database: BenchDatabase
  readonly sinkPort: number
  readonly #dns: FakeDns | null
  readonly #running = new Set<ServiceProcess>()

  private constructor(choice: RigChoice, processes: Processes, sinkPort: number, dns: FakeDns | null) {
    this.choice = choice
    this.load = processes.load
    this.sink = processes.sink
    this.limits = processes.limits
    this.database = processes.database
    this.sinkPort = sinkPort
    this.#dns = dns
  }

  static async start(choice: RigChoice): Promise<Rig> {
    const { cpus, behaviour = OBLIGING, seed = 1, shape = USUAL_SHAPE } = choice
    const processes: Processes = {
      load: new PinnedProcess(cpus, new URL('./load/load-process.ts', import.meta.url)),
      sink: new PinnedProcess(cpus, new URL('./sink/sink-process.ts', import.meta.url)),
      limits: new PinnedProcess(firstCpu(cpus), new URL('./service/limits-process.ts', import.meta.url)),
      database: await openDatabase(choice.database, cpus),
    }
    const { peers = [{ host: '127.0.0.1', behaviour }] } = choice
    const listen: SinkOrder = { listen: peers, seed }
    const { port } = await processes.sink.ask(listen)
    const dns = choice.route === 'direct' ? await startDns(choice.zone ?? zone(shape)) : null
    return new Rig(choice, processes, port!, dns)
  }

  /**
   * Starts a service on a fresh directory and database, which `prepare` may fill before the service starts. `settings` are
   * added to those of all services.
   */
  async serve({
    prepare,
    settings: own = {},
  }: {
    prepare?: Preparation
    settings?: Record<string, string>
  } = {}): Promise<Parts> {
    const { cpus, parent, nodes = 0, settings, shape = USUAL_SHAPE, program } = this.choice
    const url = await this.database.fresh()
    const service = await startServiceProcess({
      parent,
      cpus,
      nodes,
      ...(program === undefined ? {} : { program }),
      ...(this.choice.nodeCpus ? { nodeCpus: this.choice.nodeCpus } : {}),
      settings: {
        ...this.#delivery(),
        ...(url && { POSTROAD_DATABASE_URL: url, POSTROAD_SECRET_KEY: randomBytes(32).toString('hex') }),
        ...settings,
        ...own,
      },
      ...(prepare ? { prepare: (installation, tenant) => prepare(installation, tenant, url) } : {}),
    })
    this.#running.add(service)
    const { load, sink, limits, database } = this
    return { load, sink, limits, database, service, shape }
  }

  #delivery(): Record<string, string> {
    if (this.#dns === null)
      return { POSTROAD_DELIVERY: `smtp://127.0.0.1:${this.sinkPort}?tls=${this.#tls()}` }
    return {
      POSTROAD_DELIVERY: 'direct',
      POSTROAD_HOSTNAME: 'out.bench.test',
      POSTROAD_DNS_SERVERS: this.#dns.address,
      POSTROAD_SMTP_PORT: String(this.sinkPort),
      POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    }
  }

  #tls(): string {
    return this.choice.behaviour?.starttls ? 'required' : 'off'
  }

  async stop(service: ServiceProcess): Promise<void> {
    this.#running.delete(service)
    await service.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((service) => this.stop(service)))
    await Promise.all([this.load, this.sink, this.limits].map((part) => part.stop()))
    await this.#dns?.close()
    await this.database.stop()
  }
}

type Processes = Pick<Rig, 'load' | 'sink' | 'limits' | 'database'>

function zone({ domains }: MessageShape): Zone {
  const names =
    domains === 1 ? [RECIPIENT_DOMAIN] : Array.from({ length: domains }, (_, index) => domainName(index))
  return {
    'mx.sink.test/A': ['127.0.0.1'],
    ...Object.fromEntries(names.map((name) => [`${name}/MX`, ['10 mx.sink.test']])),
  }
}
