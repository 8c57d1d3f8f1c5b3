/** Turns the samples of a run into series that must stay flat, each with the growth that is negligible. */
import { type Flatness, judge, type Sample } from './flatness.ts'
import type { SoakSample } from './soak-run.ts'

export interface Judged extends Flatness {
  name: string
}

const MB = 1_048_576

/** By the end of a series' name. */
const NOTHING: [RegExp, { share: number; least: number }][] = [
  [/resident$/, { share: 0.05, least: 16 * MB }],
  [/heap$/, { share: 0.05, least: 2 * MB }],
  [/files$/, { share: 0.05, least: 8 }],
  [/listeners$/, { share: 0, least: 1 }],
  [/queue$/, { share: 0.2, least: 100 }],
  // Open resources by kind: sessions and timers come and go with the load.
  [/./, { share: 0.1, least: 8 }],
]

/** `node0 files`, `node0 main heap`, `node0 delivery-thread.ts 1 Timeout`, ...; a kind that a sample does not have counts 0. */
export function seriesOf(samples: SoakSample[]): Map<string, Sample[]> {
  const series = new Map<string, Sample[]>()
  const add = (name: string, index: number, value: number) => {
    const values = series.get(name) ?? samples.map(({ at }) => ({ at, value: 0 }))
    values[index] = { at: samples[index]!.at, value }
    series.set(name, values)
  }
  for (const [index, { queue, nodes }] of samples.entries()) {
    add('queue', index, queue)
    for (const [number, { resident, files, threads }] of nodes.entries()) {
      add(`node${number} resident`, index, resident)
      add(`node${number} files`, index, files)
      for (const { name, heap, resources, listeners } of threads) {
        add(`node${number} ${name} heap`, index, heap)
        add(`node${number} ${name} listeners`, index, listeners)
        for (const [kind, open] of Object.entries(resources))
          add(`node${number} ${name} ${kind}`, index, open)
      }
    }
  }
  return series
}

export function judgeAll(samples: SoakSample[]): Judged[] {
  return [...seriesOf(samples)].map(([name, values]) => ({
    name,
    ...judge(values, NOTHING.find(([pattern]) => pattern.test(name))![1]),
  }))
}

/** Octets as MB, everything else as it is. */
export function shown(name: string, value: number): string {
  return /(resident|heap)$/.test(name) ? `${(value / MB).toFixed(1)} MB` : value.toFixed(1)
}
