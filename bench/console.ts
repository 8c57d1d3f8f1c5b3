/** Measures how much open pages of the console slow delivery down. See `--help`. */
import { count, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import type { WatchersOrder, WatchersReport } from './console/order.ts'
import { type ConsoleRound, type ConsoleRun, compared, printConsole } from './console/report.ts'
import { measureDelivery, type Parts } from './measure.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { USUAL_CONNECTIONS } from './report.ts'
import { keepResult } from './results.ts'
import { Rig } from './rig.ts'
import { PinnedProcess } from './service/pinned-process.ts'
import { inTurns } from './turns.ts'

const HELP = `Usage: node bench/console.ts [options]

Two services in turns, one of them with pages of the console open on its live list of emails: each a stream of what changes, and a list
that is read again whenever more has changed than the stream tells. Measures what they take from delivery. The browsers that would draw
the pages are not there: they run on other machines.

  --pages N          pages that are open (10)
  --rate N           messages offered a second; 0: as many as possible (0)
  --messages N       messages in each round (15000)
  --rounds N         rounds of each after one warm-up round (7)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  pages: { type: 'string', default: '10' },
  rate: { type: 'string', default: '0' },
  messages: { type: 'string', default: '15000' },
  rounds: { type: 'string', default: '7' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const pages = count('pages', values.pages)
const rate = count('rate', values.rate, 0) || undefined
const messages = count('messages', values.messages)
const rounds = count('rounds', values.rounds)
const place = placeOf(values)

await using stack = new AsyncDisposableStack()
const rig = stack.use(await Rig.start(place))
const without = await rig.serve()
const watched = await rig.serve()
const watchers = new PinnedProcess(place.cpus, new URL('./console/watchers-process.ts', import.meta.url))
stack.defer(() => watchers.stop())
const { link } = await watched.service.installation.command<{ link: string }>('user', 'link')
// The service chooses its port itself.
const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token')!
const [url] = watched.service.urls
await watchers.ask({ open: { url: url!, token, pages } } satisfies WatchersOrder)

async function measure(parts: Parts): Promise<ConsoleRound> {
  const delivery = await measureDelivery(parts, messages, USUAL_CONNECTIONS, rate)
  if (parts === without) return { delivery, watched: null }
  const { report } = await watchers.ask({ report: true } satisfies WatchersOrder)
  return { delivery, watched: report as WatchersReport }
}

const both = [without, watched]
for (const parts of both) await measure(parts)
const [alone, seen] = await inTurns(both, rounds, measure, 'delivering: ')
const run: ConsoleRun = {
  ...provenance(),
  cpus: place.cpus,
  database: rig.database.name,
  settings: place.settings,
  ...{ pages, messages, rate: rate ?? null },
  ...compared(alone!, seen!),
}
printConsole(run)
if (!values['no-keep']) process.stdout.write(`kept as ${keepResult('console', run)}\n`)
