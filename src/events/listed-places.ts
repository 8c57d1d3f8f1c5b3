/** Finds the places that are in all of the given lists of the digest, in either direction. */
import { placesOf, segmentOf } from '../store/digest.ts'
import type { DigestStore } from '../store/store.ts'

type ListsRead = Parameters<DigestStore['readLists']>[0]

/** The places between two others: places of emails, or numbers of events. */
interface ListedRange extends Omit<ListsRead, 'from' | 'to' | 'looks'> {
  above: number
  below: number
}

export interface ListWalkPace {
  /** Places in a segment. */
  size: number
  queries: number
  /** The number of segments for the first query, and the most for one query. */
  first: number
  most: number
  /** After a query that found fewer octets of lists than this, the next one looks at MORE times as many segments. */
  little: number
}

const MORE = 16

interface ListedPlaces {
  /**
   * Places in order. The caller removes the examined ones from the front, and gets the others again with the next
   * yield. Empty at the end.
   */
  places: number[]
  /** The place up to which the range is examined once all `places` are; null: the whole range. */
  edge: number | null
}

/** Yields the places of each query's segments. Collects small segments until there are `least` places. */
export async function* listedPlaces(
  store: Pick<DigestStore, 'readLists'>,
  { above, below, ...range }: ListedRange,
  { size, queries, first, most, little }: ListWalkPace,
  least: () => number,
): AsyncGenerator<ListedPlaces> {
  const { newestFirst } = range
  const edgeOf = (segment: number) => (newestFirst ? segment * size : (segment + 1) * size - 1)
  const waiting: number[] = []
  let from = segmentOf(Math.floor(above) + 1, size)
  let to = segmentOf(Math.ceil(below) - 1, size)
  let edge: number | null = null
  for (let query = 0, looks = first; query < queries; query++) {
    const { segments, reached } = await store.readLists({ ...range, from, to, looks })
    for (const [index, { segment, places }] of segments.entries()) {
      const those = [...new Set(placesOf(segment, size, places))]
        .filter((place) => place > above && place < below)
        .sort((a, b) => (newestFirst ? b - a : a - b))
      waiting.push(...those)
      const isLast = index === segments.length - 1
      while (waiting.length >= least() || (isLast && waiting.length > 0))
        yield { places: waiting, edge: edgeOf(segment) }
    }
    edge = reached === null ? null : edgeOf(reached)
    if (reached === null) break
    if (newestFirst) to = reached - 1
    else from = reached + 1
    const octets = segments.reduce((sum, { places }) => sum + places.length, 0)
    if (octets < little) looks = Math.min(MORE * looks, most)
  }
  yield { places: [], edge }
}
