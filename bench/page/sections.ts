/** The generated sections of docs/performance.md: what was measured last, by kind of measurement. */
import { table } from '../../harness/marked-page.ts'
import { type AbuseRun, shownStatuses } from '../abuse/report.ts'
import { type Comparison, compared } from '../compare/report.ts'
import { type GrowthRun, ratioWithSpread } from '../growth-report.ts'
import { listed, type Run, summary, threadsOf, ways } from '../report.ts'
import type { ScalingRun } from '../scaling-report.ts'
import { wholeOf } from '../service/process-usage.ts'
import type { SoakReport } from '../soak/report.ts'

const NOTHING = 'Not measured yet.'

type Read = <Result>(kind: 'run' | 'compare' | 'growth' | 'scaling' | 'soak' | 'abuse') => Result[]

export const SECTIONS: Record<string, (read: Read) => string> = {
  machine: (read) => {
    const machines = new Set(
      (['run', 'compare', 'growth', 'scaling', 'soak', 'abuse'] as const).flatMap((kind) => {
        const results = read<{ machine: string; node: string }>(kind)
        const last = results.at(-1)
        return last === undefined ? [] : [`${last.machine}; ${last.node}`]
      }),
    )
    return machines.size === 0 ? NOTHING : [...machines].map((machine) => `- ${machine}`).join('\n')
  },
  delivering: (read) => {
    const rows = runs(read).map((run) => {
      const s = summary(run)
      return [
        how(run),
        `${s.delivered.toFixed(0)} (${s.deliveredBest.toFixed(0)})`,
        `${s.cpu.toFixed(2)} (${s.cpuBest.toFixed(2)})`,
        Number.isNaN(s.databaseCpu) ? '' : s.databaseCpu.toFixed(2),
        s.signatures.toFixed(0),
        s.ratio.toFixed(2),
        s.syncs.toFixed(0),
        megabytes(run.peakMemory),
        `${day(run.at)}, ${run.commit}`,
      ]
    })
    const head = [
      'how',
      'delivered/s, median (best)',
      'CPU-ms a message, median (best)',
      'PostgreSQL CPU-ms',
      'RSA-2048/s of one CPU',
      'delivered / RSA',
      'fsync/s',
      'peak RSS of a node, MB',
      'when, commit',
    ]
    return rows.length === 0 ? NOTHING : table(head, rows)
  },
  threads: (read) => {
    const rows = runs(read).flatMap((run) => {
      const threads = threadsOf(run).map(([name, usage]) => {
        return `${name} ${wholeOf(usage).toFixed(3)} (${usage.system.toFixed(3)})`
      })
      return threads.length === 0 ? [] : [[how(run), threads.join(', '), `${day(run.at)}, ${run.commit}`]]
    })
    const head = ['how', "CPU-ms a message (the kernel's part of it), by thread", 'when, commit']
    return rows.length === 0 ? NOTHING : table(head, rows)
  },
  accepting: (read) => {
    const rows = runs(read)
      .filter(({ accepting }) => accepting.length > 0)
      .map((run) => {
        const half = run.acceptingAtHalf
        return [
          how(run),
          run.accepting
            .map(({ connections, accepted }) => `${accepted.toFixed(0)} at ${connections}`)
            .join(', '),
          half === undefined ? '' : half.accepted.toFixed(0),
          half === undefined
            ? ''
            : `${half.p50.toFixed(1)} / ${half.p99.toFixed(1)} / ${half.p999?.toFixed(1)}`,
          Math.min(...run.accepting.map(({ cpu }) => cpu)).toFixed(3),
          `${day(run.at)}, ${run.commit}`,
        ]
      })
    const head = [
      'how',
      'accepted/s at connections',
      'half load, accepted/s',
      'its latency p50 / p99 / p99.9, ms',
      'CPU-ms a message, best',
      'when, commit',
    ]
    return rows.length === 0 ? NOTHING : table(head, rows)
  },
  latency: (read) => {
    const rows = runs(read).flatMap((run) =>
      run.latencies.map((figure) => [
        how(run),
        figure.offered === null ? 'idle, one at a time' : `half load, ${figure.offered.toFixed(0)}/s`,
        `${figure.median.toFixed(1)} / ${figure.p99.toFixed(1)}`,
        `${figure.wholeMedian.toFixed(1)} / ${figure.wholeP99.toFixed(1)}`,
        `${day(run.at)}, ${run.commit}`,
      ]),
    )
    const head = [
      'how',
      'load',
      '200 to arrival, median / p99, ms',
      'request to arrival, median / p99, ms',
      'when, commit',
    ]
    return rows.length === 0 ? NOTHING : table(head, rows)
  },
  scaling: (read) => {
    const newest = newestOfEach(read<ScalingRun>('scaling'), ({ kind, settings }) => {
      return `${kind} ${listed(settings)}`
    })
    const rows = newest.map(({ at, commit, setups, ratio, messages, rounds, settings }) => [
      ...setups.map(
        ({ name, delivered, deliveredBest, cpu }) =>
          `${name}: ${delivered.toFixed(0)} (${deliveredBest.toFixed(0)})/s, ${cpu.toFixed(2)} CPU-ms`,
      ),
      ratio.toFixed(2),
      listed(settings).join(', ') || '-',
      `${rounds} x ${messages}`,
      `${day(at)}, ${commit}`,
    ])
    const head = [
      'first set-up, delivered median (best)',
      'second set-up',
      'second / first',
      'settings',
      'rounds x messages',
      'when, commit',
    ]
    return rows.length === 0 ? NOTHING : table(head, rows)
  },
  growth: (read) => {
    const newest = newestOfEach(read<GrowthRun>('growth'), ({ database, cpus, settings }) =>
      [database, cpus, ...listed(settings)].join(' '),
    )
    if (newest.length === 0) return NOTHING
    const names = newest[0]!.summary.map(({ name }) => name)
    const rows = newest.map((run) => [
      [run.database, `CPUs ${run.cpus}`, ...listed(run.settings)].join(', '),
      `${run.history.emails} and ${run.history.waiting}`,
      ...names.map((name) => ratioWithSpread(run.summary.find((each) => each.name === name)!)),
      `${megabytes(run.memory.empty.peak)} / ${megabytes(run.memory.full.peak)}`,
      `${day(run.at)}, ${run.commit}`,
    ])
    const heads: Record<string, string> = {
      acceptedPerSecond: 'accepted/s',
      acceptCpu: 'CPU to accept',
      deliveredPerSecond: 'delivered/s',
      deliverCpu: 'CPU to deliver',
      latencyMedian: 'latency',
    }
    const head = [
      'database',
      'history and waiting',
      ...names.map((name) => `${heads[name] ?? name}, full / empty`),
      'peak RSS empty / full, MB',
      'when, commit',
    ]
    return table(head, rows)
  },
  abuse: (read) => {
    const run = read<AbuseRun>('abuse').at(-1)
    if (run === undefined) return NOTHING
    const rows = run.attacks.map((each) => [
      each.what,
      [each.p50, each.p99, each.worst].map((ms) => ms.toFixed(0)).join(' / '),
      shownStatuses(each.statuses),
      megabytes(each.peak),
      String(each.stalls),
      shownStatuses(each.abuser),
    ])
    const head = [
      'attack',
      "the other company's p50 / p99 / worst, ms",
      'its answers',
      'peak RSS, MB',
      'holds over 50 ms',
      "the abuser's answers",
    ]
    return (
      `${day(run.at)}, ${run.commit}: ${run.database}, CPUs ${run.cpus}; ${[`${run.connections} connections`, `${run.seconds} s each`, ...listed(run.settings)].join(', ')}. ` +
      `Of the other company's ${run.accepted} mails ${run.lost} were lost and ${run.doubled} doubled.\n\n${table(head, rows)}`
    )
  },
  soak: (read) => {
    const newest = newestOfEach(read<SoakReport>('soak'), ({ database, nodes, settings }) =>
      [database, nodes, ...listed(settings)].join(' '),
    )
    const rows = newest.map((run) => {
      const resident = run.judged.filter(({ name }) => name.endsWith('resident'))
      const files = run.judged.filter(({ name }) => name.endsWith('files'))
      const growing = run.judged.filter(({ flat }) => !flat).map(({ name }) => name)
      return [
        [
          `${run.database}${run.nodes === 0 ? '' : `, ${run.nodes} delivery nodes`}, CPUs ${run.cpus}`,
          ...listed(run.settings),
        ].join(', '),
        `${run.minutes} min at ${run.rate}/s${run.full ? `, half of ${run.full.toFixed(0)}/s` : ''}`,
        `${run.end.accepted} / ${run.end.arrived} / ${run.end.bounced}`,
        `${run.end.lost} / ${run.end.doubled}`,
        resident.map(({ first, last }) => `${megabytes(first)} to ${megabytes(last)}`).join(', '),
        files.map(({ first, last }) => `${first.toFixed(0)} to ${last.toFixed(0)}`).join(', '),
        growing.length === 0 ? `none of ${run.judged.length} series` : growing.join(', '),
        `${day(run.at)}, ${run.commit}`,
      ]
    })
    const head = [
      'database',
      'load',
      'accepted / arrived / refused for good',
      'lost / doubled',
      'RSS in the second half, MB',
      'file descriptors in the second half',
      'growing',
      'when, commit',
    ]
    return rows.length === 0 ? NOTHING : table(head, rows)
  },
  compare: (read) => {
    const newest = newestOfEach(read<Comparison>('compare'), ({ cpus }) => cpus)
    if (newest.length === 0) return NOTHING
    return newest
      .map((comparison) => {
        const { machine, cpus, messages, connections, systems, straight } = comparison
        const times = (ratio: number | null) => (ratio === null ? '' : ratio.toFixed(1))
        const rows = compared(comparison).map((row) => [
          row.name,
          `${row.delivered.toFixed(0)} (${row.deliveredBest.toFixed(0)})`,
          `${row.cpu.toFixed(2)} (${row.cpuBest.toFixed(2)})`,
          times(row.timesFaster),
          times(row.timesCheaper),
        ])
        const head = [
          'system',
          'delivered/s, median (best)',
          'CPU-ms a message, median (best)',
          'Postroad is faster, times',
          'and cheaper, times',
        ]
        const rounds = systems[0]?.rounds.length ?? 0
        return [
          `${day(comparison.at)}, ${comparison.commit}, CPUs ${cpus} of ${machine}: ${rounds} rounds of ${messages} messages over ` +
            `${connections} connections; load generator straight into the sink ${straight.toFixed(0)} messages/s.`,
          table(head, rows),
          systems.map(({ name, version, setup }) => `- ${name}: ${version}; ${setup}`).join('\n'),
        ].join('\n\n')
      })
      .join('\n\n')
  },
}

/** The newest run of each way of measuring. Runs from before ways were kept are left out. */
function runs(read: Read): Run[] {
  const comparable = read<Run>('run').filter(({ shape }) => shape !== undefined)
  return newestOfEach(comparable, (run) => how(run))
}

function how(run: Run): string {
  return [
    run.database,
    `CPUs ${run.cpus}`,
    ...[ways({ ...run, database: 'sqlite' })].filter((text) => text !== ''),
  ].join('; ')
}

/** The newest of each group, in the order in which groups first appear. `results` are oldest first. */
function newestOfEach<Result>(results: Result[], group: (result: Result) => string): Result[] {
  const newest = new Map<string, Result>()
  for (const result of results) newest.set(group(result), result)
  return [...newest.values()]
}

function day(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

function megabytes(octets: number): string {
  return (octets / 1_048_576).toFixed(0)
}
