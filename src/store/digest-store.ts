/** The digest of the log of events: written by its follower, read for search and statistics. */

import type { CountDimension, CountSize, Digest, PlaceList } from './digest.ts'
import type { FollowerStep } from './follower-store.ts'

export interface DigestStore {
  /** The digest of at most about `limit` events after a cursor, and the cursor after them. */
  digestAfter(cursor: number, limit: number): Promise<{ digest: Digest; cursor: number; more: boolean }>
  /**
   * Stores a digest in one commit with the follower's cursor. Where `advanceFollower` would return false, stores
   * nothing and returns false.
   */
  keepDigest(advance: FollowerStep, digest: Digest): Promise<boolean>
  /** The common places of lists of a company, segment by segment. */
  readLists(request: ListRequest): Promise<ListedSegments>
  /** Counts by time. Null: there are too many counts to add up. */
  countEvents(request: SeriesRequest): Promise<EventCount[] | null>
  /** The values at the given ranks, for each step and for the whole time. Null: there are too many counts to add up. */
  countRanks(request: RankRequest): Promise<RankedCount[] | null>
  /** A page of groups, added up in the database. Null: there are too many counts to add up. */
  groupEvents(request: GroupRequest): Promise<EventGroups | null>
  /** Sums by `by`, over the whole time. Null: there are too many counts to add up. */
  sumEvents(request: SumRequest): Promise<EventSum[] | null>
  /**
   * Sums of the values with the most mail, of those with the most failures, and of the empty value. Null: there are too
   * many counts to add up.
   */
  sumBusiest(request: BusiestRequest): Promise<EventSum[] | null>
  /** A page of the tags in use, and how many there are in all. Null: there are too many counts to read. */
  seenTags(request: SeenTagsRequest): Promise<SeenTags | null>
  /** Removes some lists older than any email, and some expired counts. True when there may be more. */
  trimDigest(before: CountExpiry): Promise<boolean>
}

interface ListRequest {
  /** Null: the lists that are kept for all companies together. There are such lists only of emails. */
  companyId: string | null
  /** Either lists of emails only, or of events only. */
  lists: readonly PlaceList[]
  /** Segments, both included. */
  from: number
  to: number
  newestFirst: boolean
  /** For events: only segments in which something happened at `since` (Unix ms) or later, and before `until`. */
  since: number | null
  until: number | null
  /** The most segments to look at. */
  looks: number
}

export interface ListedSegments {
  /**
   * In order. They hold every place that all of the lists have in common, and perhaps others, when reading all lists
   * would cost more.
   */
  segments: {
    segment: number
    /** Two octets per place, unordered, with possible repetitions. */
    places: Uint8Array
  }[]
  /** The last segment that was looked at; null: none is left. */
  reached: number | null
}

export interface CountRequest {
  /** Null: all companies together, from the counts kept for all of them. */
  companyId: string | null
  /** Sending domain; null: all domains together. */
  domainId: string | null
  size: CountSize
  dimension: CountDimension
  /** A tag's value or a recipient domain, compared without regard to ASCII case; null: each value. */
  value: string | null
  /** Unix ms: buckets that begin at `since` or later, and before `until`. */
  since: number
  until: number
  /** The most counts to add up. Their number depends on the tags of senders and on recipient domains. */
  most: number
}

interface SeriesRequest extends CountRequest {
  /** Ms of a row, counted from `since`. A row may span several buckets. Absent: each bucket is a row. */
  step?: number
}

/** A request for ranks, among counts whose values are whole numbers. */
export interface RankRequest extends CountRequest {
  /** Ms of a step, counted from `since`: the counts of a step are ranked together. */
  step: number
  /** Above 0 and at most 1: for the part 0.5, half of all counts have at most the returned value. */
  parts: readonly number[]
}

export interface RankedCount {
  /** Unix ms at which the step begins; null: the whole time. */
  start: number | null
  value: string
  n: number
  /** The number of counts with lower values, and of all counts. */
  below: number
  all: number
}

export interface SumRequest extends CountRequest {
  /** `company`: only when no company is named. */
  by: 'value' | 'domain' | 'company'
}

export interface GroupRequest extends CountRequest {
  by: {
    /** A group for each bucket, or for all buckets of a month (UTC); null: one group for the whole time. */
    time: 'bucket' | 'month' | null
    /**
     * True: a group for each value; `domain`: for each sending domain, with its id as the value; `both`: for each
     * domain and value, named by the id, a space and the value; false: one group for all.
     */
    value: boolean | 'domain' | 'both'
  }
  skip: number
  limit: number
}

/** Sums by event type. */
export type TypeSums = Readonly<Record<string, number>>

export interface EventGroups {
  /** The groups of the page, in the order of their first counts, then of their values. */
  groups: {
    /** Unix ms of the beginning of the bucket or month; null when groups are not made by time. */
    start: number | null
    /** Empty when groups are not made by value. */
    value: string
    sums: TypeSums
  }[]
  /** Number of all groups. */
  total: number
  /** Sums over all groups. */
  sums: TypeSums
}

export interface BusiestRequest extends CountRequest {
  /** The number of values with the most accepted mail, and of those with the most bounces and failures. */
  limit: number
}

export interface EventSum {
  /** A value, or the id of a domain or company. */
  key: string
  type: string
  n: number
}

export interface SeenTagsRequest {
  companyId: string
  /** Sending domains whose mail had the tags. */
  domainIds: readonly string[]
  /** Only this tag, in any spelling, with the domains that list it; null: every tag. */
  tag: string | null
  /** Only names that begin with this. */
  prefix: string
  /** Only names after `after`, and before `before`. */
  after: string | null
  before: string | null
  /** Ties are ordered by name, ascending. */
  order: { by: TagOrder; falling: boolean }
  skip: number
  limit: number
  /** The most counts to read. */
  looks: number
}

export type TagOrder = 'tag' | 'description' | 'first' | 'last'

export interface SeenTag {
  /** The first spelling seen. */
  tag: string
  /** The description from one of the domains. */
  description: string
  /** Unix ms: the days on which it was first and last seen. */
  first: number
  last: number
  /** Ids of the domains that have it, when one tag is asked for; otherwise none. */
  domainIds: readonly string[]
}

export interface SeenTags {
  tags: SeenTag[]
  total: number
}

export interface EventCount {
  /** Unix ms. */
  start: number
  value: string
  /** An event type; `accepted`: recipients of accepted emails. */
  type: string
  n: number
}

/** Unix ms: counts before this have expired, by the length of their buckets. */
type CountExpiry = Readonly<Record<CountSize, number>>
