/** Decides where a message is composed: a small one where it is sent, a large one in a worker. */
import { withOtherOctets } from '../mail/body.ts'
import type { Boundaries } from '../mail/compose/boundary.ts'
import { jobAt, withOwnBuffer } from '../workers/job.ts'
import type { Workers } from '../workers/workers.ts'
import type { ComposeJobInput } from './compose-job.ts'
import { type Delivery, type DeliveryMessage, LARGE_MESSAGE } from './delivery.ts'
import type { PreparedMessage } from './prepare.ts'
import type { MessageCapabilities, OutgoingMessage } from './smtp/transaction.ts'
import { weightOf } from './weight.ts'

const job = jobAt<ComposeJobInput, OutgoingMessage>(new URL('./compose-job.ts', import.meta.url))

/**
 * Prepares large messages in a worker. Returns null for the others, which are prepared where they are sent. The result
 * equals that of `prepareMessage`, but also rejects with WorkerDied when the message crashed the worker.
 */
export function prepareLargeInWorker(
  workers: Workers,
  boundaries: Pick<Boundaries, 'boundaryOf'>,
): (delivery: Delivery) => PreparedMessage | null {
  return (delivery) =>
    weightOf(delivery.message) >= LARGE_MESSAGE
      ? prepareElsewhere(workers, delivery, boundaries.boundaryOf(delivery.email.id))
      : null
}

function prepareElsewhere(
  workers: Workers,
  { email, message, signing }: Delivery,
  boundary: string,
): PreparedMessage {
  // A worker gets a copy of the message, and a view would be copied with its whole buffer.
  const order = {
    email: { id: email.id, companyId: email.companyId },
    message: withOwnBuffers(message),
    signing,
    boundary,
  }
  const weight = weightOf(message)
  return makeOnce((capabilities) =>
    // The number of sessions bounds the number of orders; a message that waits for its turn holds up only its own
    // session.
    workers.run(job, { ...order, capabilities }, { company: email.companyId, weight, patient: true }),
  )
}

/**
 * Calls `make` once for each variant of the message. A variant without 8-bit content serves all servers, even if it was
 * made for servers with 8BITMIME.
 */
export function makeOnce(
  make: (capabilities: MessageCapabilities) => Promise<OutgoingMessage>,
): PreparedMessage {
  const made = new Map<boolean, Promise<OutgoingMessage>>()
  return (capabilities) => {
    const { eightBitMime } = capabilities
    let message = made.get(eightBitMime)
    if (message === undefined) {
      message = make(capabilities)
      made.set(eightBitMime, message)
      void message.then(
        ({ eightBit }) => {
          if (eightBitMime && !eightBit) made.set(false, message!)
        },
        () => {},
      )
    }
    return message
  }
}

function withOwnBuffers(message: DeliveryMessage): DeliveryMessage {
  if (message.kind === 'raw') return { ...message, raw: withOwnBuffer(message.raw) }
  const attachments = message.content.attachments.map((file) => ({
    ...file,
    content: withOwnBuffer(file.content),
  }))
  return { ...message, content: { ...withOtherOctets(message.content, withOwnBuffer), attachments } }
}
