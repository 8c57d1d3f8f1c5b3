/** The webhook thread: reads the log, signs, and sends requests. The main thread does all writes. */
import { parentPort, workerData } from 'node:worker_threads'
import { hostLookup } from '../../dns/host-lookup.ts'
import { configuredResolver } from '../../dns/resolver.ts'
import { Outgoing } from '../../network/outgoing.ts'
import { addressGuard } from '../../network/private-address.ts'
import { openStore } from '../../store/open.ts'
import { StoreUnavailable, type WebhookProgress } from '../../store/store.ts'
import { entryLog } from '../entry-log.ts'
import { NoticeReader } from '../notice-reader.ts'
import { Dispatcher } from './dispatcher.ts'
import type { FromWebhookThread, ToWebhookThread, WebhookThreadData } from './protocol.ts'

/** Connections to one origin; the dispatcher limits the requests of each webhook. */
const CONNECTIONS = 256
const COUNT_MS = 1_000

const { database, dnsServers, dnsValidating, allowPrivateNetworks, allowLoopback, schedule, userAgent } =
  workerData as WebhookThreadData
const port = parentPort!
const say = (message: FromWebhookThread) => port.postMessage(message)

const calls = new Map<number, PromiseWithResolvers<boolean>>()
let lastCall = 0
let token: number | null = null
let base = ''
let counts = { succeeded: 0, failed: 0 }

function commit(progress: WebhookProgress): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>()
  calls.set(++lastCall, answered)
  say({ kind: 'commit', call: lastCall, progress })
  return answered.promise
}

function takeCall(id: number): PromiseWithResolvers<boolean> | undefined {
  const waiting = calls.get(id)
  calls.delete(id)
  return waiting
}

const store = await openStore(database, { exclusive: false })
const outgoing = new Outgoing({
  guard: addressGuard({ allowPrivateNetworks, allowLoopback }),
  resolve: hostLookup(configuredResolver({ dnsServers, dnsValidating }), {
    hostsFile: allowPrivateNetworks,
  }),
  connections: CONNECTIONS,
})
const dispatcher = new Dispatcher(
  {
    log: entryLog(store),
    noticeReader: new NoticeReader(store),
    base: () => base,
    retries: store.webhookRetries,
    commit,
    prune: (id) => say({ kind: 'prune', id }),
    ask: outgoing.ask,
    schedule,
    userAgent,
    now: Date.now,
    onFault: (error) => say({ kind: 'fault', error: error as Error }),
    onTried: ({ succeeded }) => void counts[succeeded ? 'succeeded' : 'failed']++,
    onLeft: (id, its) => say({ kind: 'left', id, token: its }),
  },
  () => token,
)
const counting = setInterval(tell, COUNT_MS)

function tell(): void {
  say({ kind: 'figures', ...counts, states: dispatcher.states })
  counts = { succeeded: 0, failed: 0 }
}

async function close(): Promise<void> {
  clearInterval(counting)
  await dispatcher.close()
  await outgoing.close()
  await store.close()
  tell()
  say({ kind: 'closed' })
}

port.on('message', (message: ToWebhookThread) => {
  switch (message.kind) {
    case 'held':
      token = message.token
      base = message.base
      dispatcher.hold(message.webhooks)
      break
    case 'answer':
      takeCall(message.call)?.resolve(message.value)
      break
    case 'failed':
      takeCall(message.call)?.reject(new StoreUnavailable(message.message))
      break
    case 'close':
      void close()
  }
})
