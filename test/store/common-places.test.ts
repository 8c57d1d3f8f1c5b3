import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../../harness/random.ts'
import { commonPlaces, type ListQuestion } from '../../src/store/common-places.ts'
import { LIST, type PlaceList, packPlaces, placesOf } from '../../src/store/digest.ts'

/** Offsets by segment. */
type Kept = Map<number, number[]>

const SEGMENTS = Array.from({ length: 40 }, (_, index) => 100 - index)
const EVERY_OFFSET = Array.from({ length: 200 }, (_, offset) => offset)

function byFew(term: number): PlaceList {
  return { kind: LIST.eventsByFew, terms: [term] }
}
const byMany: PlaceList = { kind: LIST.eventsByMany, terms: [9] }

function everywhere(offsets: (segment: number) => number[]): Kept {
  return new Map(SEGMENTS.map((segment) => [segment, offsets(segment)]))
}

/** The result by segment, and the questions asked. */
function common(lists: readonly (readonly [PlaceList, Kept])[], segments = SEGMENTS) {
  const asked: ListQuestion[] = []
  const steps = commonPlaces(
    lists.map(([list]) => list),
    segments,
  )
  let step = steps.next()
  while (!step.done) {
    asked.push(...step.value)
    const answers = step.value.map(({ list, segments, whether }) => {
      const [, kept] = lists.find(([each]) => each === list)!
      const there = segments.filter((segment) => (kept.get(segment)?.length ?? 0) > 0)
      const octets = (segment: number) => (whether ? new Uint8Array() : packPlaces(kept.get(segment)!))
      return new Map(there.map((segment) => [segment, octets(segment)]))
    })
    step = steps.next(answers)
  }
  const found = new Map(
    step.value.map(({ segment, places }) => [segment, new Set(placesOf(0, 0, places))] as const),
  )
  const read = (list: PlaceList) =>
    asked.filter((each) => each.list === list && !each.whether).flatMap(({ segments }) => segments)
  return { found, read, asked }
}

test('the result has every common place and none that the shortest list lacks, and few segments are exact', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = new Random(seed)
  for (let round = 0; round < 300; round++) {
    const lists = Array.from({ length: random.int(1, 3) }, (_, index) => {
      const [here, each] = [random.pick([0.1, 0.8, 1]), random.pick([0.01, 0.1, 0.9, 1])]
      const offsets = () => (random.chance(here) ? EVERY_OFFSET.filter(() => random.chance(each)) : [])
      return [random.chance(0.5) ? byFew(index) : { ...byMany }, everywhere(offsets)] as const
    })
    const segments = SEGMENTS.slice(0, random.pick([0, 3, 8, 9, 40]))
    const { found } = common(lists, segments)
    for (const segment of segments) {
      const all = lists.map(([, kept]) => new Set(kept.get(segment)))
      const wanted = [...all[0]!].filter((offset) => all.every((list) => list.has(offset)))
      const there = found.get(segment) ?? new Set()
      const why = `seed ${seed}, round ${round}, segment ${segment}`
      assert.deepEqual(
        wanted.filter((offset) => !there.has(offset)),
        [],
        why,
      )
      assert.ok(
        [...there].every((offset) => all.some((list) => list.has(offset))),
        why,
      )
      if (segments.length <= 8) assert.equal(there.size, wanted.length, why)
    }
  }
})

test('a nearly complete list is not read through for a short one', () => {
  const rare = [byMany, everywhere(() => [7])] as const
  const most = [byFew(1), everywhere(() => EVERY_OFFSET)] as const
  for (const lists of [
    [rare, most],
    [most, rare],
  ]) {
    const { found, read } = common(lists)
    assert.equal(found.size, SEGMENTS.length)
    assert.equal(read(byMany).length, SEGMENTS.length)
    assert.equal(read(most[0]).length, 16)
  }
})

test('when the list of a term is empty, the others are not read', () => {
  const seldom = [byFew(1), new Map([[SEGMENTS[30]!, [7]]])] as const
  const all = [byMany, everywhere(() => EVERY_OFFSET)] as const
  const { found, read, asked } = common([all, seldom])
  assert.deepEqual([...found.keys()], [SEGMENTS[30]])
  assert.deepEqual(read(byMany), [...SEGMENTS.slice(0, 8), SEGMENTS[30]])
  assert.equal(asked.filter(({ whether }) => whether).length, 1)
})

test('one list alone is read at once', () => {
  const { found, asked } = common([[byMany, everywhere((segment) => [segment])]])
  assert.equal(found.size, SEGMENTS.length)
  assert.equal(asked.length, 1)
})
