import type { IncomingMessage } from 'node:http'
import { clip } from '../../common/clip.ts'
import type { Fault } from '../fault.ts'
import { idOf, type WithId } from '../target.ts'
import type { Connection } from './connections.ts'

/** A company's requests and octets under way. Octets include their cost factor. */
export interface CompanyLoad {
  id: string
  requests: number
  small: number
  large: number
  /** The number of the company's last turn. */
  turn: number
}

function stay(): void {}

/** The thing that is admitted: a request, or a mail transaction of an SMTP session. */
export type Visitor = Pick<IncomingMessage, 'socket' | 'method' | 'url'> &
  Partial<Pick<IncomingMessage, 'headers'>> &
  WithId

/** One visitor with a key, from its admission to its answer. */
export class Visit {
  readonly request: Visitor
  readonly company: CompanyLoad
  readonly connection: Connection | undefined
  small = 0
  large = 0
  /** The parts of `small` and `large` that are reserved for files beside its body; null: none is. */
  files: { small: number; large: number } | null = null
  /** Octets of its body: those for which room is reserved, and those that have arrived. */
  expected = 0
  arrived = 0
  /** Monotonic ms when reading of its body began. */
  startedAt = 0
  /** True while it waits for room. */
  waits = false
  giveWay: (fault: Fault) => void = stay

  constructor(request: Visitor, company: CompanyLoad, connection: Connection | undefined) {
    this.request = request
    this.company = company
    this.connection = connection
  }
}

const VISIT = Symbol('visit')

/**
 * The visit is a property of the request, not an entry of a WeakMap: the collector of young objects scans a WeakMap
 * completely, and there is a request for every email.
 */
interface Visiting extends Visitor {
  [VISIT]?: Visit | undefined
}

export function visitOf(request: Visitor): Visit | undefined {
  return (request as Visiting)[VISIT]
}

export function attach(request: Visitor, visit: Visit | undefined): void {
  ;(request as Visiting)[VISIT] = visit
}

/** The fields that identify a visit in the log. */
export function describeVisit({ request, company, arrived }: Visit): object {
  const { method, url } = request
  return {
    requestId: idOf(request),
    companyId: company.id,
    operation: `${method} ${clip(url ?? '')}`,
    octets: arrived,
  }
}
