/** Puts the parts together, starts them in order, stops them in reverse. The only place that knows everything. */
import type { AddressInfo } from 'node:net'
import { AccountDirectory } from './accounts/directory.ts'
import { openSeal } from './accounts/secret-key.ts'
import type { Settings } from './config/settings.ts'
import { RouteCourier } from './delivery/route/route-courier.ts'
import { RetrySchedule } from './delivery/retry-schedule.ts'
import { Scheduler } from './delivery/scheduler.ts'
import { SigningKeys } from './delivery/signing-keys.ts'
import { Resolver } from './dns/resolver.ts'
import { type FirstStart, makeFirstCompany } from './first-start.ts'
import { createServer } from './http/server.ts'
import { Intake } from './intake/intake.ts'
import type { Logger } from './log.ts'
import { TextThread } from './mail/text-thread.ts'
import { Metrics } from './metrics.ts'
import { openStore } from './store/open.ts'
import { Retention } from './store/retention.ts'

/** A running service. */
export interface App {
  /** Base address of the API, e.g. `http://127.0.0.1:8587`. */
  url: string
  /** What was made up at the first start on an empty database, else null. */
  firstStart: FirstStart | null
  /** No new work; open requests and SMTP transactions finish or are given back. */
  close(): Promise<void>
}
