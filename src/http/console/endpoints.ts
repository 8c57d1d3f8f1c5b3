import type { Endpoint } from '../endpoint.ts'
import { sessionEndpoints } from './session.ts'
import { startEndpoints } from './start.ts'

/** Every route of the console: a new one is a line here, and a row in test/http/console/tenants.test.ts. */
export function consoleEndpoints(): Endpoint[] {
  return [...sessionEndpoints, ...startEndpoints]
}
