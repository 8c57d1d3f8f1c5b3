/** The states of paths that delivering nodes have learned: they outlive a node, and all nodes know them. */
import type { TroubleKind } from '../email/trouble-kind.ts'
import type { BounceCategory } from '../mail/reply/category.ts'

export interface SharedState {
  /** Nothing is sent, apart from single tries. Null: the path is open. */
  closed: ClosedPath | null
  /** Sessions and messages a minute that the servers seem to take from a node; null: as many as the limits allow. */
  sessions: number | null
  messagesPerMinute: number | null
  /** `messagesPerMinute` is a guess, made because the servers took nothing, and rises fast. Absent: it is no guess. */
  isGuess?: true
  /** Unix ms until which servers asked us to wait. Absent: they did not, or an older node wrote the row. */
  pausedUntil?: number
  /** Unix ms to which the messages of the last hour reach if they are spread evenly over it. Absent: not counted. */
  hourDue?: number
}

export interface ClosedPath {
  /** Key of the path. */
  path: string
  /** The only company and sending domain (ids) and recipient domain concerned; null: all are. */
  companyId: string | null
  domainId: string | null
  to: string | null
  /** Id of the company whose mail met it last. */
  metBy: string | null
  kind: TroubleKind
  message: string
  /** The message for other companies. */
  brief: string
  /** Absent: not known. */
  category?: BounceCategory
  list: { name: string; removal: string } | null
  /** Unix ms. */
  since: number
  probeAt: number
}

export interface SharedPath {
  /** Key of the path, or of a sending domain's part of it. */
  key: string
  /** Token of the node that has learnt it last. */
  node: number
  /** Unix ms, by the clock of that node. */
  changedAt: number
  state: SharedState
}

/** The states of paths that a node has learnt. */
interface PathChange {
  paths: SharedPath[]
  /** Paths that the node shared before; one that another node has forgotten meanwhile stays forgotten. */
  changed: SharedPath[]
  /** Keys of paths that are as usual. */
  usual: string[]
  /** Unix ms: paths that were last changed earlier are forgotten. */
  before: number
}

/** The change of a row that several nodes write. */
export interface AgreedChange extends Omit<SharedPath, 'state'> {
  /** The row as the node knows it; null: there is none. If another node has changed it, nothing happens. */
  known: Pick<SharedPath, 'node' | 'changedAt'> | null
  /** Null: the row is removed. */
  state: SharedState | null
}

/** Requests of a node that concern the tries of closed paths. All times in Unix ms. */
interface TryChange {
  node: number
  now: number
  /** `insisted`: the try is wanted although another node has tried the path a moment ago. */
  wanted: readonly { key: string; insisted: boolean }[]
  /** The node gives up a try that it gets after this time, unless it gets it anew. */
  until: number
  /** Tries of this node that have ended; no node tries the path before `next`. */
  ended: readonly { key: string; next: number }[]
}

/** The answer to a wanted try: the node that tries the path, and the time until which no other one does. */
export interface PathTry {
  key: string
  node: number
  until: number
}

/** Milliseconds after which an unchanged entry is forgotten: no mail has met it. */
export const SHARED_KEPT_MS = 6 * 3_600_000

export interface SharedPathStore {
  sharePaths(change: PathChange): Promise<void>
  /** `before`: as in `PathChange`. Returns the keys of the rows that other nodes have changed. */
  shareAgreed(changes: readonly AgreedChange[], before: number): Promise<string[]>
  sharedPaths(): Promise<SharedPath[]>
  /** One node at a time gets the try of a path. Answers every wanted try, in no order. */
  shareTries(change: TryChange): Promise<PathTry[]>
  /** Differs after every change. */
  sharedPathsMark(): Promise<string>
}
