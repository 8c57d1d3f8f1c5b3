/** The figures of `npm run bench:parked`. */
import type { Provenance } from '../harness/results.ts'

export interface ParkedFigure {
  /** Milliseconds of a processor for each second. */
  cpu: number
  /** Deliveries given back in a second; absent in older runs. */
  givenBack?: number
  /** Octets. */
  resident: number
  /** Ms from the request to the arrival at the healthy site. */
  p50: number
  p99: number
}

export interface ParkedRun extends Provenance {
  database: string
  /** Waiting for the dead sites, and as many for the slow one. */
  messages: number
  sites: number
  idle: ParkedFigure
  /** While the mail is accepted and tried; absent in older runs. */
  coming?: ParkedFigure
  parked: ParkedFigure
}
