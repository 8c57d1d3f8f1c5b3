/** Measures how many webhooks are signed and sent a second, and how much they slow delivery down. See `--help`. */
import { count, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { measureDelivery, type Parts } from './measure.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { USUAL_CONNECTIONS } from './report.ts'
import { keepResult } from './results.ts'
import { Rig } from './rig.ts'
import { inTurns } from './turns.ts'
import { Receiver } from './webhooks/receiver.ts'
import {
  type BesideRound,
  besideOf,
  lagsOf,
  printWebhooks,
  type TellingRound,
  tellingOf,
  type WebhooksRun,
} from './webhooks/report.ts'

const HELP = `Usage: node bench/webhooks.ts [options]

Two services in turns, one of them with two webhooks: one whose receiver answers, in a process of its own that verifies the signatures
of a sample, and one whose receiver never answers. Measures how much the webhooks slow delivery down and how far they are behind
their events; then how fast the healthy receiver gets webhooks for everything in the log.

  --rate N           messages offered a second, whatever the answers do; 0: as many as possible (2000)
  --messages N       messages in each round (20000)
  --rounds N         rounds of each after one warm-up round (3)
  --event LIST       the types of events, with commas (email.sent,email.delivered)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  rate: { type: 'string', default: '2000' },
  messages: { type: 'string', default: '20000' },
  rounds: { type: 'string', default: '3' },
  event: { type: 'string', default: 'email.sent,email.delivered' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const rate = count('rate', values.rate, 0) || undefined
const messages = count('messages', values.messages)
const rounds = count('rounds', values.rounds)
const events = values.event.split(',')
const place = placeOf(values)

await using stack = new AsyncDisposableStack()
const healthy = stack.use(await Receiver.start(place.cpus))
const hanging = stack.use(await Receiver.start(place.cpus, { hang: true }))
const settings = { POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true', ...place.settings }
const rig = stack.use(await Rig.start({ ...place, settings }))
const without = await rig.serve()
const withWebhooks = await rig.serve()
const webhook = await add(withWebhooks, healthy)
const hung = await add(withWebhooks, hanging)

async function add({ service }: Parts, { url }: Receiver): Promise<{ id: string; secret: string }> {
  const chosen = events.flatMap((event) => ['--event', event])
  return await service.installation.command(
    ...['webhook', 'add', '--company', service.tenant.companyId, '--url', url, ...chosen],
  )
}

async function measureBeside(parts: Parts): Promise<BesideRound> {
  if (parts === without) {
    return { delivery: await measureDelivery(parts, messages, USUAL_CONNECTIONS, rate), told: null }
  }
  const expected = messages * events.length
  await healthy.expect(expected, webhook.secret)
  const delivery = await measureDelivery(parts, messages, USUAL_CONNECTIONS, rate)
  return { delivery, told: lagsOf(await healthy.heard(expected)) }
}

/** Sends webhooks for all events in the log. */
async function measureTelling({ service }: Parts, webhooks: number): Promise<TellingRound> {
  await healthy.expect(webhooks, webhook.secret)
  const before = service.cpu()
  await service.installation.command('webhook', 'replay', webhook.id, '--since', '2020-01-01T00:00:00Z')
  const { firstAt, lastAt, cpu, verified } = await healthy.heard(webhooks)
  return {
    webhooks,
    rate: (webhooks * 1000) / (lastAt - firstAt),
    cpu: (service.cpu() - before) / webhooks,
    receiverCpu: cpu / webhooks,
    verified,
  }
}

const both = [without, withWebhooks]
for (const parts of both) await measureBeside(parts)
const [plain, told] = await inTurns(both, rounds, measureBeside, 'delivering: ')
await rig.stop(without.service)
await withWebhooks.service.installation.command('webhook', 'remove', hung.id)
const inLog = messages * events.length * (rounds + 1)
const telling: TellingRound[] = []
for (let round = 0; round < rounds; round++) telling.push(await measureTelling(withWebhooks, inLog))

const run: WebhooksRun = {
  ...provenance(),
  cpus: place.cpus,
  database: rig.database.name,
  settings: place.settings,
  rate: rate ?? null,
  messages,
  events,
  telling: tellingOf(telling),
  beside: besideOf(plain!, told!),
}
printWebhooks(run)
if (!values['no-keep']) process.stdout.write(`kept as ${keepResult('webhooks', run)}\n`)
