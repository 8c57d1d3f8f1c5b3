/** The body of a delivery thread: composes, signs and sends the deliveries that the main thread posts to it. */

import { parentPort, workerData } from 'node:worker_threads'
import { SendingRight } from '../../cluster/sending-right.ts'
import { UnrecordedMessages } from '../../cluster/unrecorded-messages.ts'
import { postedLog } from '../../common/logging.ts'
import { configuredResolver } from '../../dns/resolver.ts'
import { Boundaries } from '../../mail/compose/boundary.ts'
import { signHere } from '../../mail/dkim/signature.ts'
import { ReturnPathKey } from '../../mail/return-path/return-path.ts'
import { tidy } from '../../threads/tidy.ts'
import { WorkerDied, WorkersBusy } from '../../workers/error.ts'
import { buffersBeneath } from '../../workers/job.ts'
import { makeOnce } from '../composing.ts'
import type { Delivery, DeliveryResult, SessionSharing, SigningKey } from '../delivery.ts'
import type { DeliveryPath } from '../path/path.ts'
import type { PreparedMessage } from '../prepare.ts'
import { RouteCourier } from '../route-courier.ts'
import type { OutgoingMessage } from '../smtp/transaction.ts'
import { deliveryOf, type FlatDelivery, type FlatResult, type FlatSharing, flatResult } from './flat.ts'
import type { ComposeResult, DeliveryThreadData, FromThread, ToThread } from './message.ts'
import { TurnBatch } from './turn-batch.ts'

/**
 * Deliveries begun in one turn of the event loop. Each is composed and signed synchronously, in a third of a
 * millisecond, and the servers' replies wait meanwhile.
 */
const BEGUN_PER_TURN = 16

const port = parentPort!
const { dnsServers, dnsValidating, boundarySecret, returnPathSecret, right, unrecorded, thread, ...options } =
  workerData as DeliveryThreadData
const keys = new Map<string, SigningKey>()
const policies = new Map<string, Pick<DeliveryPath, 'policy' | 'source'>>()
const known = { keys, policies }
/** Large messages, by delivery. They are not composed in this thread. */
const prepared = new WeakMap<Delivery, PreparedMessage>()
/** Deliveries under way, by number. */
const underWay = new Map<number, Delivery>()
/** Deliveries that wait for the answer to their final dot, by number. */
const atDot = new Map<number, Delivery>()
const requests = new Map<number, PromiseWithResolvers<OutgoingMessage>>()
let request = 0
const courier = new RouteCourier({
  ...options,
  resolver: configuredResolver({ dnsServers, dnsValidating }),
  boundaries: new Boundaries(boundarySecret),
  returnPaths: new ReturnPathKey(returnPathSecret),
  right: new SendingRight(right),
  unrecorded: new UnrecordedMessages(unrecorded, thread),
  // This thread signs by itself: it has nothing else to do meanwhile, and a thread of the pool would cost two context
  // switches per signature.
  signer: signHere,
  elsewhere: (delivery) => prepared.get(delivery) ?? null,
  log: postedLog((line) => say({ kind: 'log', line })),
})
/** Captured messages of the gathered results. Their buffers are transferred to the main thread. */
let captured: Uint8Array[] = []
const results = new TurnBatch<FlatResult | FlatSharing>((gathered) => {
  port.postMessage({ kind: 'results', results: gathered } satisfies FromThread, buffersBeneath(captured))
  captured = []
})
let waiting: FlatDelivery[] = []

function say(message: FromThread): void {
  port.postMessage(message)
}

function begin(): void {
  const now = waiting.splice(0, BEGUN_PER_TURN)
  if (waiting.length > 0) setImmediate(begin)
  for (const flat of now) {
    const [delivery, large] = deliveryOf(flat, known)
    underWay.set(flat[0], delivery)
    if (large) prepared.set(delivery, takePrepared(flat[0]))
    void courier
      .deliver(delivery, sharingOf(flat, delivery))
      .then((result) => postResult(flat[0], result, large))
  }
}

function sharingOf(flat: FlatDelivery, delivery: Delivery): SessionSharing {
  const [number] = flat
  const before = flat[12]
  return {
    behind: before === null ? null : (atDot.get(before) ?? null),
    onDot: () => {
      atDot.set(number, delivery)
      results.add([number, 'dot'])
    },
    onApart: () => results.add([number, 'apart']),
  }
}

function postResult(number: number, result: DeliveryResult, large: boolean): void {
  underWay.delete(number)
  atDot.delete(number)
  if (result.captured !== undefined) captured.push(result.captured)
  results.add(flatResult(number, result))
  // Tidies only after the result has been posted.
  if (large) setImmediate(() => setImmediate(tidy))
}

function beginAll(): void {
  while (waiting.length > 0) begin()
}

function takePrepared(delivery: number): PreparedMessage {
  return makeOnce((capabilities) => {
    const asked = Promise.withResolvers<OutgoingMessage>()
    requests.set(request, asked)
    say({ kind: 'compose', request, delivery, capabilities })
    request++
    return asked.promise
  })
}

function answer(number: number, composed: ComposeResult): void {
  const asked = requests.get(number)
  requests.delete(number)
  if ('message' in composed) asked?.resolve(composed.message)
  else if ('died' in composed) asked?.reject(new WorkerDied(composed.died, composed.detail))
  else asked?.reject('busy' in composed ? new WorkersBusy(composed.busy) : new Error(composed.error))
}

async function close(ms: number): Promise<void> {
  beginAll()
  await courier.close(ms)
  results.flush()
  say({ kind: 'closed' })
  port.close()
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'key':
      keys.set(message.key.id, message.key)
      return
    case 'policy':
      policies.set(message.id, { policy: message.policy, source: message.source })
      return
    case 'forget':
      beginAll()
      keys.clear()
      policies.clear()
      return
    case 'deliver': {
      const idle = waiting.length === 0
      waiting = idle ? message.deliveries : waiting.concat(message.deliveries)
      if (idle) begin()
      return
    }
    case 'composed':
      answer(message.request, message.composed)
      return
    case 'cut-short': {
      const delivery = underWay.get(message.delivery)
      const number = message.delivery
      if (delivery !== undefined) courier.cutShort(delivery, () => results.add([number, 'uncut']))
      return
    }
    case 'owed': {
      const { request } = message
      void courier.owed(message.question).then((owed) => say({ kind: 'owed', request, owed }))
      return
    }
    case 'close':
      void close(message.ms)
  }
})
