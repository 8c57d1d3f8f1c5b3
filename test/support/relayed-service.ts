/** What most scenarios begin with: the service in front of a scriptable sink, with one company that may send from acme.test. */

import type { Settings } from '../../harness/service/installation.ts'
import type { ServiceChild } from '../../harness/service/service-child.ts'
import type { Tenant } from '../../harness/service/tenant.ts'
import { ApiClient } from './api-client.ts'
import { Installation } from './installation.ts'
import { type Sink, startSink } from './sink.ts'

/** What `email show ID --json` tells about one recipient. */
export interface ShownRecipient {
  address: string
  state: string
  attempts: number
  code: number | null
  message: string | null
}

export interface ShownEmail {
  recipients: ShownRecipient[]
  events: {
    type: string
    recipient: number | null
    /** ISO 8601. */
    at: string
    code?: number
    message?: string
    next_attempt_at?: string
  }[]
  attempts: { dialogue: string; server: string | null }[]
}

/** What `queue --json` tells about one company's mail to one destination. */
export interface ShownLane {
  domain: string
  waiting: number
  sending: number
  last_answer: string | null
}

export class RelayedService {
  readonly sink: Sink
  readonly installation: Installation
  readonly tenant: Tenant
  readonly #started: AsyncDisposableStack
  service: ServiceChild
  api: ApiClient

  constructor(
    sink: Sink,
    installation: Installation,
    tenant: Tenant,
    service: ServiceChild,
    started: AsyncDisposableStack,
  ) {
    this.#started = started
    this.sink = sink
    this.installation = installation
    this.tenant = tenant
    this.service = service
    this.api = new ApiClient(service.url, tenant.token)
  }

  /** Starts the service again on the same directory, after it ended. */
  async startAgain(): Promise<void> {
    this.service = await this.installation.serve()
    this.api = new ApiClient(this.service.url, this.tenant.token)
  }

  /** The whole record of an email, as the operator sees it. */
  show(id: string): Promise<ShownEmail> {
    return this.installation.command('email', 'show', id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync()
  }
}

export async function startRelayed(settings: Settings = {}): Promise<RelayedService> {
  await using started = new AsyncDisposableStack()
  const sink = started.use(await startSink())
  const installation = started.use(
    new Installation({
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
      POSTROAD_RETRY_SCHEDULE: '1s,1s,1s,2s,2s,2s,5s,5s',
      ...settings,
    }),
  )
  const tenant = await installation.addTenant('acme.test')
  const service = await installation.serve()
  return new RelayedService(sink, installation, tenant, service, started.move())
}
