/** The generated sections of docs/performance.md: the newest results of each kind of measurement. */
import { table } from '../../harness/marked-page.ts'
import type { Kept } from '../../harness/results.ts'
import { type AbuseRun, shownStatuses } from '../abuse/report.ts'
import { type Comparison, compared } from '../compare/report.ts'
import type { ConsoleRun } from '../console/report.ts'
import { type Figures, type GrowthRun, ratioWithSpread } from '../growth-report.ts'
import type { ListingRow, ListingRun } from '../listing/report.ts'
import type { ParkedFigure, ParkedRun } from '../parked-report.ts'
import { listed, type Run, summary, threadsOf, ways } from '../report.ts'
import type { ReturnedRun } from '../returned/report.ts'
import type { ScalingRun } from '../scaling-report.ts'
import { wholeOf } from '../service/process-usage.ts'
import type { SoakReport } from '../soak/report.ts'
import type { WebhooksRun } from '../webhooks/report.ts'

const NOTHING = 'Not measured yet.'

const GROWTH_HEADS: Record<keyof Figures, string> = {
  acceptedPerSecond: 'accepted/s',
  acceptCpu: 'CPU to accept',
  deliveredPerSecond: 'delivered/s',
  deliverCpu: 'CPU to deliver',
  latencyMedian: 'latency',
}

type Read = <Result>(
  kind:
    | 'run'
    | 'compare'
    | 'growth'
    | 'scaling'
    | 'soak'
    | 'abuse'
    | 'webhooks'
    | 'returned'
    | 'console'
    | 'listing'
    | 'parked',
) => Result[]

export const SECTIONS: Record<string, (read: Read) => string> = {
  machine: (read) => {
    const machines = new Set(
      (
        [
          'run',
          'compare',
          'growth',
          'scaling',
          'soak',
          'abuse',
          'webhooks',
          'returned',
          'console',
          'listing',
          'parked',
        ] as const
      ).flatMap((kind) => {
        const results = read<{ machine: string; node: string }>(kind)
        const last = results.at(-1)
        return last === undefined ? [] : [`${last.machine}; ${last.node}`]
      }),
    )
    return machines.size === 0 ? NOTHING : [...machines].map((machine) => `- ${machine}`).join('\n')
  },
  delivering: (read) => {
    const summed = runs(read).map((run) => ({ run, ...summary(run) }))
    return columns(summed, {
      how: ({ run }) => how(run),
      'delivered/s, median (best)': (s) => `${s.delivered.toFixed(0)} (${s.deliveredBest.toFixed(0)})`,
      'CPU-ms a message, median (best)': (s) => `${s.cpu.toFixed(2)} (${s.cpuBest.toFixed(2)})`,
      'PostgreSQL CPU-ms': (s) => (Number.isNaN(s.databaseCpu) ? '' : s.databaseCpu.toFixed(2)),
      'RSA-2048/s of one CPU': (s) => s.signatures.toFixed(0),
      'delivered / RSA': (s) => s.ratio.toFixed(2),
      'fsync/s': (s) => s.syncs.toFixed(0),
      'peak RSS of a node, MB': ({ run }) => megabytes(run.peakMemory),
      'when, commit': ({ run }) => when(run),
    })
  },
  threads: (read) => {
    const measured = runs(read).filter((run) => threadsOf(run).length > 0)
    return columns(measured, {
      how,
      "CPU-ms a message (the kernel's part of it), by thread": (run) =>
        threadsOf(run)
          .map(([name, usage]) => `${name} ${wholeOf(usage).toFixed(3)} (${usage.system.toFixed(3)})`)
          .join(', '),
      'when, commit': when,
    })
  },
  accepting: (read) => {
    const measured = runs(read).filter(({ accepting }) => accepting.length > 0)
    return columns(measured, {
      how,
      'accepted/s at connections': ({ accepting }) =>
        accepting.map(({ connections, accepted }) => `${accepted.toFixed(0)} at ${connections}`).join(', '),
      'half load, accepted/s': ({ acceptingAtHalf: half }) => half?.accepted.toFixed(0) ?? '',
      'its latency p50 / p99 / p99.9, ms': ({ acceptingAtHalf: half }) =>
        half === undefined ? '' : [half.p50, half.p99, half.p999].map((ms) => ms?.toFixed(1)).join(' / '),
      'CPU-ms a message, best': ({ accepting }) => Math.min(...accepting.map(({ cpu }) => cpu)).toFixed(3),
      'when, commit': when,
    })
  },
  latency: (read) => {
    const measured = runs(read).flatMap((run) => run.latencies.map((figure) => ({ run, ...figure })))
    return columns(measured, {
      how: ({ run }) => how(run),
      load: ({ offered }) =>
        offered === null ? 'idle, one at a time' : `half load, ${offered.toFixed(0)}/s`,
      '200 to arrival, median / p99, ms': ({ median, p99 }) => `${median.toFixed(1)} / ${p99.toFixed(1)}`,
      'request to arrival, median / p99, ms': ({ wholeMedian, wholeP99 }) =>
        `${wholeMedian.toFixed(1)} / ${wholeP99.toFixed(1)}`,
      'when, commit': ({ run }) => when(run),
    })
  },
  scaling: (read) => {
    const newest = newestOfEach(read<ScalingRun>('scaling'), ({ kind, settings }) => {
      return `${kind} ${listed(settings)}`
    })
    const setup = (run: ScalingRun, index: number) => {
      const { name, delivered, deliveredBest, cpu } = run.setups[index]!
      return `${name}: ${delivered.toFixed(0)} (${deliveredBest.toFixed(0)})/s, ${cpu.toFixed(2)} CPU-ms`
    }
    return columns(newest, {
      'first set-up, delivered median (best)': (run) => setup(run, 0),
      'second set-up': (run) => setup(run, 1),
      'second / first': ({ ratio }) => ratio.toFixed(2),
      settings: ({ settings }) => listed(settings).join(', ') || '-',
      'rounds x messages': ({ rounds, messages }) => `${rounds} x ${messages}`,
      'when, commit': when,
    })
  },
  growth: (read) => {
    const newest = newestOfEach(read<GrowthRun>('growth'), ({ database, cpus, settings }) =>
      [database, cpus, ...listed(settings)].join(' '),
    )
    const ratios = (newest[0]?.summary ?? []).map(({ name }): [string, (run: GrowthRun) => string] => [
      `${GROWTH_HEADS[name]}, full / empty`,
      ({ summary }) => ratioWithSpread(summary.find((each) => each.name === name)!),
    ])
    return columns(newest, {
      database: ({ database, cpus, settings }) => [database, `CPUs ${cpus}`, ...listed(settings)].join(', '),
      'history and waiting': ({ history }) => `${history.emails} and ${history.waiting}`,
      ...Object.fromEntries(ratios),
      'peak RSS empty / full, MB': ({ memory }) =>
        `${megabytes(memory.empty.peak)} / ${megabytes(memory.full.peak)}`,
      'when, commit': when,
    })
  },
  listing: (read) => {
    const newest = newestOfEach(read<ListingRun>('listing'), ({ database }) => database)
    const [first] = newest
    if (first === undefined) return NOTHING
    const measured = newest.map((run) => {
      const { emails } = run.shape
      const each = `${emails} emails, ${run.digest.events} events, ${run.suppressions} suppressions`
      return `- ${run.database}: ${each}, each question ${run.rounds} times (${when(run)})`
    })
    const figures = newest.map(({ database, rows }): [string, (row: ListingRow) => string] => [
      `${database}, median / p99, ms`,
      ({ question }) => {
        const row = rows.find((each) => each.question === question)
        return row === undefined ? '' : `${row.median.toFixed(1)} / ${row.p99.toFixed(1)}`
      },
    ])
    const pages = columns(first.rows, {
      'one page': ({ question, served }) => (served ? question : `${question} (no index: bounded)`),
      found: ({ found }) => found.toFixed(0),
      ...Object.fromEntries(figures),
    })
    return `${measured.join('\n')}\n\n${pages}`
  },
  abuse: (read) => {
    const runs = read<AbuseRun>('abuse')
    const most = Math.max(...runs.map(({ attacks }) => attacks.length))
    const whole = runs.findLastIndex(({ attacks }) => attacks.length === most)
    // Runs of single attacks say nothing about the others.
    return runs.length === 0 ? NOTHING : runs.slice(whole).map(abused).join('\n\n')
  },
  webhooks: (read) => {
    const newest = newestOfEach(read<WebhooksRun>('webhooks'), ({ database, cpus, rate, settings }) =>
      [database, cpus, rate, ...listed(settings)].join(' '),
    )
    return columns(newest, {
      how: ({ database, cpus, settings }) => [database, `CPUs ${cpus}`, ...listed(settings)].join('; '),
      'webhooks/s, median (best)': ({ telling }) => `${telling.rate.toFixed(0)} (${telling.best.toFixed(0)})`,
      'CPU-ms each': ({ telling }) => telling.cpu.toFixed(3),
      'mails offered/s': ({ rate }) => String(rate ?? 'as many as possible'),
      'delivered/s without / with webhooks': ({ beside }) =>
        `${beside.without.toFixed(0)} / ${beside.with.toFixed(0)}`,
      ratio: ({ beside }) => beside.ratio.toFixed(2),
      'CPU-ms a message without / with': ({ beside }) =>
        `${beside.cpuWithout.toFixed(2)} / ${beside.cpuWith.toFixed(2)}`,
      'behind the event, median / p99, ms': ({ beside }) =>
        `${beside.lagMedian.toFixed(0)} / ${beside.lagP99.toFixed(0)}`,
      'when, commit': when,
    })
  },
  returned: (read) => {
    const newest = newestOfEach(read<ReturnedRun>('returned'), ({ database, cpus, rate, settings }) =>
      [database, cpus, rate, ...listed(settings)].join(' '),
    )
    return columns(newest, {
      how: ({ database, cpus, settings }) => [database, `CPUs ${cpus}`, ...listed(settings)].join('; '),
      'bounces/s, due / accepted': ({ rate, reports }) => `${rate} / ${reports.accepted.toFixed(0)}`,
      'until accepted, median / p99, ms': ({ reports }) =>
        `${reports.p50.toFixed(1)} / ${reports.p99.toFixed(0)}`,
      'delivered/s without / with bounces': (run) => `${run.without.toFixed(0)} / ${run.with.toFixed(0)}`,
      ratio: ({ ratio }) => ratio.toFixed(2),
      'alone: bounces/s, median / p99, ms': ({ alone }) =>
        `${alone.accepted.toFixed(0)}, ${alone.p50.toFixed(1)} / ${alone.p99.toFixed(0)}`,
      'CPU-ms for a message / a bounce alone': ({ cpu, alone }) =>
        `${cpu.toFixed(2)} / ${alone.cpu.toFixed(2)}`,
      'CPU-ms of the sender for a bounce': ({ reports }) => reports.loadCpu.toFixed(2),
      'when, commit': when,
    })
  },
  parked: (read) => {
    const newest = newestOfEach(read<ParkedRun>('parked'), ({ database, messages, sites }) =>
      [database, messages, sites].join(' '),
    )
    const latency = (figure: ParkedFigure | undefined) =>
      figure === undefined ? '' : `${figure.p50.toFixed(0)} / ${figure.p99.toFixed(0)}`
    return columns(newest, {
      database: ({ database }) => database,
      waiting: ({ messages, sites }) =>
        `${messages} for ${sites} dead sites, ${messages} for ${sites} domains of a slow one`,
      'request to arrival at a healthy site, median / p99, ms: before': ({ idle }) => latency(idle),
      'while it comes': ({ coming }) => latency(coming),
      'while it waits': ({ parked }) => latency(parked),
      'a processor, before / while it waits': ({ idle, parked }) =>
        `${(idle.cpu / 10).toFixed(1)} % / ${(parked.cpu / 10).toFixed(1)} %`,
      'RSS before / while it waits, MB': ({ idle, parked }) =>
        `${megabytes(idle.resident)} / ${megabytes(parked.resident)}`,
      'when, commit': when,
    })
  },
  console: (read) => {
    const newest = newestOfEach(read<ConsoleRun>('console'), ({ database, cpus, rate, settings }) =>
      [database, cpus, rate, ...listed(settings)].join(' '),
    )
    return columns(newest, {
      how: ({ database, cpus, settings }) => [database, `CPUs ${cpus}`, ...listed(settings)].join('; '),
      'pages open': ({ pages }) => String(pages),
      'delivered/s without / with them': (run) => `${run.without.toFixed(0)} / ${run.with.toFixed(0)}`,
      ratio: ({ ratio }) => ratio.toFixed(3),
      'CPU-ms a message, ratio': ({ cpuRatio }) => cpuRatio.toFixed(3),
      'when, commit': when,
    })
  },
  soak: (read) => {
    const newest = newestOfEach(read<SoakReport>('soak'), ({ database, nodes, settings }) =>
      [database, nodes, ...listed(settings)].join(' '),
    )
    const series = ({ judged }: SoakReport, end: string, shown: (value: number) => string) =>
      judged
        .filter(({ name }) => name.endsWith(end))
        .map(({ first, last }) => `${shown(first)} to ${shown(last)}`)
        .join(', ')
    return columns(newest, {
      database: ({ database, nodes, cpus, settings }) => {
        const delivering = nodes === 0 ? '' : `, ${nodes} delivery nodes`
        return [`${database}${delivering}, CPUs ${cpus}`, ...listed(settings)].join(', ')
      },
      load: ({ minutes, rate, full }) =>
        `${minutes} min at ${rate}/s${full ? `, half of ${full.toFixed(0)}/s` : ''}`,
      'accepted / arrived / refused for good': ({ end }) =>
        `${end.accepted} / ${end.arrived} / ${end.bounced}`,
      'lost / doubled': ({ end }) => `${end.lost} / ${end.doubled}`,
      'RSS in the second half, MB': (run) => series(run, 'resident', megabytes),
      'file descriptors in the second half': (run) => series(run, 'files', (files) => files.toFixed(0)),
      growing: ({ judged }) => {
        const growing = judged.filter(({ flat }) => !flat).map(({ name }) => name)
        return growing.join(', ') || `none of ${judged.length} series`
      },
      'when, commit': when,
    })
  },
  compare: (read) => {
    const newest = newestOfEach(read<Comparison>('compare'), ({ cpus }) => cpus)
    if (newest.length === 0) return NOTHING
    return newest
      .map((comparison) => {
        const { machine, cpus, messages, connections, systems, straight } = comparison
        const times = (ratio: number | null) => (ratio === null ? '' : ratio.toFixed(1))
        const figures = columns(compared(comparison), {
          system: ({ name }) => name,
          'delivered/s, median (best)': (row) =>
            `${row.delivered.toFixed(0)} (${row.deliveredBest.toFixed(0)})`,
          'CPU-ms a message, median (best)': (row) => `${row.cpu.toFixed(2)} (${row.cpuBest.toFixed(2)})`,
          'Postroad is faster, times': ({ timesFaster }) => times(timesFaster),
          'and cheaper, times': ({ timesCheaper }) => times(timesCheaper),
        })
        const rounds = systems[0]?.rounds.length ?? 0
        return [
          `${when(comparison)}, CPUs ${cpus} of ${machine}: ${rounds} rounds of ${messages} messages over ` +
            `${connections} connections; load generator straight into the sink ${straight.toFixed(0)} messages/s.`,
          figures,
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

/** A table with a row for each result. Instead of an empty table, a note that nothing was measured. */
function columns<Row>(rows: Row[], cells: Record<string, (row: Row) => string>): string {
  if (rows.length === 0) return NOTHING
  return table(
    Object.keys(cells),
    rows.map((row) => Object.values(cells).map((cell) => cell(row))),
  )
}

function when({ at, commit }: Kept): string {
  return `${at.slice(0, 16).replace('T', ' ')}, ${commit}`
}

function megabytes(octets: number): string {
  return (octets / 1_048_576).toFixed(0)
}

function abused(run: AbuseRun): string {
  const attacks = columns(run.attacks, {
    attack: ({ what }) => what,
    "the other company's p50 / p99 / worst, ms": ({ p50, p99, worst }) =>
      [p50, p99, worst].map((ms) => ms.toFixed(0)).join(' / '),
    'its answers': ({ statuses }) => shownStatuses(statuses),
    'peak RSS, MB': ({ peak }) => megabytes(peak),
    'main thread away for over 50 ms of its CPU, times': ({ stalls }) => String(stalls),
    'longest, CPU-ms at most': ({ longest }) => (longest === 0 ? 'under 10' : longest.toFixed(0)),
    "the abuser's answers": ({ abuser }) => shownStatuses(abuser),
  })
  return (
    `${when(run)}: ${run.database}, CPUs ${run.cpus}; ${[`${run.connections} connections`, `${run.seconds} s each`, ...listed(run.settings)].join(', ')}. ` +
    `Of the other company's ${run.accepted} mails ${run.lost} were lost and ${run.doubled} doubled.\n\n${attacks}`
  )
}
