/** Finds the places that several lists have in common, reading as few lists as needed. */
import { isByTerm, type PlaceList, placesInBoth } from './digest.ts'
import type { ListedSegments } from './digest-store.ts'

/**
 * Asks for a list's places in these segments, which are in order. `whether`: asks only which of the segments have
 * places of the list.
 */
export interface ListQuestion {
  list: PlaceList
  segments: readonly number[]
  whether: boolean
}

/** The places of a list by segment; a segment without places is missing. */
export type ListAnswer = ReadonlyMap<number, Uint8Array>

type ListSegments = ListedSegments['segments']
/** Yields several questions at once when none depends on the answer to another. */
type ListQuestions<T> = Generator<readonly ListQuestion[], T, readonly ListAnswer[]>

/** Segments in which all lists are read, to learn which lists narrow the rest most. */
const PROBED = 8
/** A list is skipped if it leaves more than this part of the places that the lists before it left. */
const WORTH_READING = 0.5

/** Yields questions about the lists, and receives the answers. */
export function* commonPlaces(
  lists: readonly PlaceList[],
  segments: readonly number[],
): ListQuestions<ListSegments> {
  if (segments.length === 0) return []
  const [only, ...more] = lists
  if (more.length === 0) return segmentsOf(segments, yield* placesOf(only!, segments))
  const probed = segments.slice(0, PROBED)
  const answers = yield lists.map((list) => ({ list, segments: probed, whether: false }))
  const probes = lists.map((list, index): Probe => {
    const answer = answers[index]!
    return { list, answer, found: segmentsOf(probed, answer) }
  })
  probes.sort((a, b) => octetsOf(a.found) - octetsOf(b.found))
  const found = probes.slice(1).reduce((common, { answer }) => inBoth(common, answer), probes[0]!.found)
  const rest = segments.slice(PROBED)
  return rest.length === 0 ? found : [...found, ...(yield* ofTheRest(probes, rest))]
}

/** The places of a list in the probed segments. */
interface Probe {
  list: PlaceList
  answer: ListAnswer
  found: ListSegments
}

/** `probes`: the shortest list first. */
function* ofTheRest(probes: readonly Probe[], rest: readonly number[]): ListQuestions<ListSegments> {
  const [shortest, ...others] = probes
  const segments = yield* whereAny(probes, rest)
  let common = segmentsOf(segments, yield* placesOf(shortest!.list, segments))
  for (const { list } of others) {
    const [few, many] = [common.slice(0, PROBED), common.slice(PROBED)]
    const left = yield* among(few, list)
    const isWorthIt = octetsOf(left) <= WORTH_READING * octetsOf(few)
    common = [...left, ...(isWorthIt ? yield* among(many, list) : many)]
  }
  return common
}

/**
 * Leaves out the segments in which a list has nothing, asking only lists for which that is cheap to find out and that
 * are not likely to be in every segment.
 */
function* whereAny(probes: readonly Probe[], rest: readonly number[]): ListQuestions<readonly number[]> {
  const seldom = probes.filter(({ list, found }) => isByTerm(list.kind) && found.length < PROBED)
  if (seldom.length === 0) return rest
  const answers = yield seldom.map(({ list }) => ({ list, segments: rest, whether: true }))
  return rest.filter((segment) => answers.every((answer) => answer.has(segment)))
}

/** The common places that this list also has. */
function* among(common: ListSegments, list: PlaceList): ListQuestions<ListSegments> {
  if (common.length === 0) return []
  const segments = common.map(({ segment }) => segment)
  return inBoth(common, yield* placesOf(list, segments))
}

function* placesOf(list: PlaceList, segments: readonly number[]): ListQuestions<ListAnswer> {
  const [answer] = yield [{ list, segments, whether: false }]
  return answer!
}

function segmentsOf(segments: readonly number[], answer: ListAnswer): ListSegments {
  return segments.flatMap((segment) => {
    const places = answer.get(segment)
    return places === undefined ? [] : [{ segment, places }]
  })
}

function inBoth(common: ListSegments, other: ListAnswer): ListSegments {
  return common.flatMap(({ segment, places }) => {
    const those = other.get(segment)
    if (those === undefined) return []
    const both = placesInBoth(places, those)
    return both.length === 0 ? [] : [{ segment, places: both }]
  })
}

function octetsOf(found: ListSegments): number {
  return found.reduce((sum, { places }) => sum + places.length, 0)
}
