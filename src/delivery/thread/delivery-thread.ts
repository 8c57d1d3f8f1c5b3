/** The body of a delivery thread: composes, signs and speaks SMTP for the deliveries it is posted. */
import { parentPort, workerData } from 'node:worker_threads'
import { Resolver } from '../../dns/resolver.ts'
import { Boundaries } from '../../mail/compose/boundary.ts'
import { signHere } from '../../mail/dkim/signature.ts'
import type { SigningKey } from '../delivery.ts'
import { RouteCourier } from '../route-courier.ts'
import { SendingRight } from '../sending-right.ts'
import { deliveryOf, type FlatDelivery, type FlatResult, flatResult } from './flat.ts'
import { Gathered } from './gathered.ts'
import type { FromThread, ThreadOptions, ToThread } from './message.ts'

/**
 * Deliveries begun in one turn of the event loop. Each is composed and signed at once, a third of a millisecond, and what
 * servers answer waits meanwhile.
 */
const BEGUN_PER_TURN = 16

const port = parentPort!
const { dnsServers, boundarySecret, right, ...options } = workerData as ThreadOptions
const keys = new Map<string, SigningKey>()
const courier = new RouteCourier({
  ...options,
  resolver: new Resolver({ servers: dnsServers }),
  boundaries: new Boundaries(boundarySecret),
  right: new SendingRight(right),
  // Nothing else waits for this thread, and a thread of the pool would cost two changes of context for each signature.
  signer: signHere,
  log: (level, message, detail) => say({ kind: 'log', level, message, detail }),
})
const results = new Gathered<FlatResult>((gathered) => say({ kind: 'results', results: gathered }))
let waiting: FlatDelivery[] = []

function say(message: FromThread): void {
  port.postMessage(message)
}

function begin(): void {
  const now = waiting.splice(0, BEGUN_PER_TURN)
  if (waiting.length > 0) setImmediate(begin)
  for (const flat of now) {
    const delivery = deliveryOf(flat)
    const signing = delivery.signing.map((id) => keys.get(id)!)
    void courier.deliver({ ...delivery, signing }).then((result) => results.add(flatResult(flat[0], result)))
  }
}

async function close(ms: number): Promise<void> {
  while (waiting.length > 0) begin()
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
    case 'deliver': {
      const idle = waiting.length === 0
      waiting = idle ? message.deliveries : waiting.concat(message.deliveries)
      if (idle) begin()
      return
    }
    case 'close':
      void close(message.ms)
  }
})
