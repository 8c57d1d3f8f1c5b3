/** What is made of the log of events by those who follow it, and read by those who search and count. */

import type { CountDimension, CountSize, Digest, PlaceList } from './digest.ts'
import type { Advance } from './follower-store.ts'

export interface DigestStore {
  /** What is to be kept of the next events behind a cursor, at most about so many, and the cursor behind these. */
  digestAfter(cursor: number, limit: number): Promise<{ digest: Digest; cursor: number; more: boolean }>
  /** In one commit with the follower's cursor. False, and nothing is kept, as `advanceFollower` has it. */
  keepDigest(advance: Advance, digest: Digest): Promise<boolean>
  /** Lists of a company, segment by segment. */
  readLists(request: ListRequest): Promise<ListedSegments>
  /** By time. Null: there is more to add up than is wanted. */
  countEvents(request: SeriesRequest): Promise<EventCount[] | null>
  /** Of each step and of the whole time, by value, the values in which parts of what is counted lie. Null as above. */
  countRanks(request: RankRequest): Promise<RankedCount[] | null>
  /** A page of groups, added up where the counts lie. Null: there is more to add up than is wanted. */
  groupEvents(request: GroupRequest): Promise<EventGroups | null>
  /** By what they are counted by, over the whole time. Null: there is more to add up than is wanted. */
  sumEvents(request: SumRequest): Promise<EventSum[] | null>
  /** Sums of the values with most mail, with most failures, and of the empty value. Null as for all sums. */
  sumBusiest(request: BusiestRequest): Promise<EventSum[] | null>
  /** A page of the tags of mail, and how many there are in all. Null: there is more to go through than is wanted. */
  seenTags(request: SeenTagsRequest): Promise<SeenTags | null>
  /** Removes a little of what is older than any email, and of counts past their time. True when there may be more. */
  trimDigest(before: CountsBefore): Promise<boolean>
}

export interface ListRequest {
  /** Null: of all companies; of emails, by what is filed for all of them. */
  companyId: string | null
  /** All of emails, or all of events. */
  lists: readonly PlaceList[]
  /** Segments, both included. */
  from: number
  to: number
  newestFirst: boolean
  /** Of events: only segments in which something happened then (Unix ms) or later, and before. */
  since: number | null
  until: number | null
  /** Segments looked at, at most. */
  looks: number
}

export interface ListedSegments {
  /** In order. What is in all of the lists is here, and perhaps more, where that costs less than reading them all. */
  segments: {
    segment: number
    /** Two octets a place, in no order, some of them several times. */
    places: Uint8Array
  }[]
  /** The last segment that was looked at; null: none is left. */
  reached: number | null
}

export interface CountRequest {
  /** Null: of all companies together, by what is counted for all of them. */
  companyId: string | null
  /** Sending domain; null: of all, together. */
  domainId: string | null
  size: CountSize
  dimension: CountDimension
  /** A tag's value, a recipient domain, both without regard to the case of ASCII letters; null: each. */
  value: string | null
  /** Unix ms: of the buckets that begin then or later, and before. */
  since: number
  until: number
  /** Counts added up at most: how many there are, senders decide by their tags and recipients. */
  most: number
}

export interface SeriesRequest extends CountRequest {
  /** Ms from `since` on that make one row, of a few buckets; absent: each bucket is one. */
  step?: number
}

/** Of what is counted by values that are whole numbers. */
export interface RankRequest extends CountRequest {
  /** Ms from `since` on that are ranked together. */
  step: number
  /** Above 0 and at most 1: half of what is counted lies up to the value of the part 0.5. */
  parts: readonly number[]
}

export interface RankedCount {
  /** Unix ms at which the step begins; null: of the whole time. */
  start: number | null
  value: string
  n: number
  /** How many have lower values, and how many there are. */
  below: number
  all: number
}

export interface SumRequest extends CountRequest {
  /** `company`: where no company is named. */
  by: 'value' | 'domain' | 'company'
}

export interface GroupRequest extends CountRequest {
  by: {
    /** A group for each bucket, or for the buckets of each month (UTC); null: one for the whole time. */
    time: 'bucket' | 'month' | null
    /** A group for each value, for each sending domain (its id is the value then), or one for all. */
    value: boolean | 'domain'
  }
  skip: number
  limit: number
}

/** Sums by type. */
export type Sums = Readonly<Record<string, number>>

export interface EventGroups {
  /** The groups of the page, in the order of their first counts, then of their values. */
  groups: {
    /** Unix ms at which the bucket or the month begins; null where time makes no groups. */
    start: number | null
    /** Empty where values make no groups. */
    value: string
    sums: Sums
  }[]
  /** Number of all groups. */
  total: number
  /** Sums over all groups. */
  sums: Sums
}

export interface BusiestRequest extends CountRequest {
  /** Values with most accepted, and as many with most that bounced or failed. */
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
  /** Sending domains whose mail had them. */
  domainIds: readonly string[]
  /** Only this tag, however it is spelt, with the domains that list it; null: every tag. */
  tag: string | null
  /** Only names that begin with this. */
  prefix: string
  /** Only names behind this one, and before that one. */
  after: string | null
  before: string | null
  /** Then by name, rising. */
  order: { by: TagOrder; falling: boolean }
  skip: number
  limit: number
  /** Counts gone through for them at most. */
  looks: number
}

export type TagOrder = 'tag' | 'description' | 'first' | 'last'

export interface SeenTag {
  /** The spelling that was seen first. */
  tag: string
  /** The description that one of the domains has for it. */
  description: string
  /** Unix ms: the days on which it was seen first and last. */
  first: number
  last: number
  /** Ids of those that list it, where one tag is asked for; else none. */
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
  /** A type of event; `accepted`: recipients of accepted emails. */
  type: string
  n: number
}

/** Unix ms: which counts are past their time, by the length of their buckets. */
export type CountsBefore = Readonly<Record<CountSize, number>>
