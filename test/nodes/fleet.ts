/** Several nodes, each a process of its own as users run it, on one PostgreSQL database and in front of one sink. */
import { randomBytes } from 'node:crypto'
import type { Settings } from '../../harness/service/installation.ts'
import type { ServiceChild } from '../../harness/service/service-child.ts'
import type { Tenant } from '../../harness/service/tenant.ts'
import { ApiClient } from '../support/api-client.ts'
import { Installation } from '../support/installation.ts'
import { execute, freshDatabase } from '../support/postgres.ts'
import { type Moment, type Reaction, type Sink, startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'

/** As the script of a sink, with the name of the node that speaks. */
export type NodeScript = (
  moment: Moment,
  node: string,
) => Promise<Reaction | undefined> | Reaction | undefined

export interface FleetOptions {
  script?: NodeScript
  /** A function if the settings depend on the sink. */
  settings?: Settings | ((sink: Sink) => Settings)
}

/** The output of `node list --json`. */
export interface ListedNode {
  token: number
  name: string
  roles: string[]
  beats: number
}

export class Node {
  readonly name: string
  readonly child: ServiceChild
  readonly api: ApiClient

  constructor(name: string, child: ServiceChild, token: string) {
    this.name = name
    this.child = child
    this.api = new ApiClient(child.url, token)
  }

  /** The value of one line of `/metrics`, by its name with labels; 0 when there is none. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.child.url}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return line === undefined ? 0 : Number(line.slice(name.length + 1))
  }
}

export class Fleet implements AsyncDisposable {
  readonly sink: Sink
  readonly installation: Installation
  readonly tenant: Tenant
  readonly database: string
  readonly #started: AsyncDisposableStack

  private constructor(
    sink: Sink,
    installation: Installation,
    tenant: Tenant,
    database: string,
    started: AsyncDisposableStack,
  ) {
    this.sink = sink
    this.installation = installation
    this.tenant = tenant
    this.database = database
    this.#started = started
  }

  static async start({ script, settings = {} }: FleetOptions = {}): Promise<Fleet> {
    await using started = new AsyncDisposableStack()
    const sink = started.use(await startSink(script === undefined ? {} : { script: byNode(script) }))
    const database = await freshDatabase()
    const installation = started.use(
      new Installation({
        POSTROAD_DATABASE_URL: database,
        POSTROAD_SECRET_KEY: randomBytes(32).toString('hex'),
        POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
        POSTROAD_DELIVERY_THREADS: '1',
        POSTROAD_METRICS_LISTEN: 'same',
        POSTROAD_NODE_TIMEOUT: '2s',
        POSTROAD_RETRY_SCHEDULE: '1s,1s,2s,2s,5s',
        POSTROAD_SHUTDOWN_TIMEOUT: '2s',
        ...(typeof settings === 'function' ? settings(sink) : settings),
      }),
    )
    const tenant = await installation.addTenant('acme.test')
    return new Fleet(sink, installation, tenant, database, started.move())
  }

  /** `named`: false: the name is ours alone, and the node chooses its own. */
  async node(name: string, roles: string, settings: Settings = {}, named = true): Promise<Node> {
    const child = await this.installation.serve({
      settings: {
        ...(named && { POSTROAD_NODE_NAME: name }),
        POSTROAD_ROLES: roles,
        POSTROAD_HOSTNAME: `${name}.test`,
        POSTROAD_NODE_DIRECTORY: this.installation.directory,
        ...settings,
      },
    })
    return new Node(name, child, this.tenant.token)
  }

  nodes(): Promise<ListedNode[]> {
    return this.installation.command('node', 'list')
  }

  /** Sends `count` messages to addresses of their own at this domain; their ids by address. */
  async send(node: Node, count: number, domain = 'x.test'): Promise<Map<string, string>> {
    const sent = new Map<string, string>()
    const one = async () => {
      const address = `${randomBytes(6).toString('hex')}@${domain}`
      sent.set(
        address,
        await node.api.accepted({ from: 'a@acme.test', to: address, subject: 's', text: 't' }),
      )
    }
    await Promise.all(Array.from({ length: count }, one))
    return sent
  }

  /** How often each address got its message. */
  copies(): Map<string, number> {
    const copies = new Map<string, number>()
    for (const { recipients } of this.sink.messages) {
      for (const address of recipients) copies.set(address, (copies.get(address) ?? 0) + 1)
    }
    return copies
  }

  /** Addresses that got their message more than once. */
  doubled(): string[] {
    return [...this.copies()].filter(([, copies]) => copies > 1).map(([address]) => address)
  }

  /** Resolves when every one of these has arrived. */
  async arrived(sent: ReadonlyMap<string, string>): Promise<void> {
    await this.sink.when(() => {
      const copies = this.copies()
      return [...sent.keys()].every((address) => copies.has(address))
    }, `${sent.size} messages`)
  }

  /** Ids of emails with recipients leased now. */
  async leased(): Promise<Set<string>> {
    const sql = 'SELECT DISTINCT email::text AS id FROM queue WHERE lease IS NOT NULL'
    return new Set((await execute<{ id: string }>(this.database, sql)).map(({ id }) => id))
  }

  /** Resolves when every recipient has ended as delivered in the records too. */
  async recorded(): Promise<void> {
    await until(
      async () => (await this.installation.command<unknown[]>('queue')).length === 0,
      'an empty queue',
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync()
  }
}

/** Nodes say who they are in EHLO. */
function byNode(script: NodeScript) {
  const names = new Map<number, string>()
  return (moment: Moment) => {
    if (moment.step === 'ehlo') names.set(moment.session, moment.line.slice('EHLO '.length, -'.test'.length))
    return script(moment, names.get(moment.session) ?? '')
  }
}

/** A step of the dialogue at which sessions can be held and let go. */
export class Gate {
  #open = true
  #opened = Promise.withResolvers<void>()
  /** Sessions that wait here. */
  waiting = 0

  close(): void {
    if (this.#open) this.#opened = Promise.withResolvers<void>()
    this.#open = false
  }

  open(): void {
    this.#open = true
    this.#opened.resolve()
  }

  async pass(): Promise<void> {
    if (this.#open) return
    this.waiting++
    await this.#opened.promise
    this.waiting--
  }
}
