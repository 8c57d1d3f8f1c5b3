/** Where a message is composed: a small one by whoever sends it, a large one by a worker. */
import type { Boundaries } from '../mail/compose/boundary.ts'
import type { MessageContent } from '../mail/message.ts'
import { alone, jobAt } from '../workers/job.ts'
import type { Workers } from '../workers/workers.ts'
import type { ComposeOrder } from './compose-job.ts'
import { type Delivery, type DeliveryMessage, LARGE_MESSAGE } from './delivery.ts'
import type { PreparedMessage } from './prepare.ts'
import type { MessageCapabilities, OutgoingMessage } from './smtp/transaction.ts'

const job = jobAt<ComposeOrder, OutgoingMessage>(new URL('./compose-job.ts', import.meta.url))

/** Takes a look at the lengths of the parts; only for a copy of its own at the texts. */
function isLarge(message: DeliveryMessage): boolean {
  return weightOf(message) >= LARGE_MESSAGE
}

/** Octets that composing goes through, about. */
function weightOf(message: DeliveryMessage): number {
  const { addressee } = message
  const octets = message.kind === 'raw' ? message.raw.length : octetsOf(message.content)
  if (!addressee || octets > LARGE_MESSAGE) return octets
  // Each placeholder may become the longest of the values.
  let longest = addressee.name.length + addressee.address.length
  for (const key in addressee.variables) longest = Math.max(longest, addressee.variables[key]!.length)
  return octets + longest * placeholdersIn(message)
}

function octetsOf({ html, text, attachments, headers, to, cc }: MessageContent): number {
  let octets = (html?.length ?? 0) + (text?.length ?? 0)
  for (const { content } of attachments) octets += content.length + FILE_COST
  for (const [name, value] of headers) octets += HEADER_COST * (name.length + value.length + LINE_COST)
  for (const text of to) octets += HEADER_COST * (text.length + LINE_COST)
  for (const text of cc) octets += HEADER_COST * (text.length + LINE_COST)
  return octets
}

/** What a file costs beside its octets, an octet of the header, and a field or mailbox beside its own: in octets of a body. */
const FILE_COST = 2_000
const HEADER_COST = 8
const LINE_COST = 40

const MARK = '%recipient'

function placeholdersIn(message: DeliveryMessage): number {
  if (message.kind === 'raw') {
    // They may be encoded, and then take no less room.
    return Math.ceil(message.raw.length / MARK.length)
  }
  const { html = '', text = '', subject, from, headers } = message.content
  let count = 0
  for (const part of [html, text, subject, from, ...headers.map(([, value]) => value)]) {
    for (let at = part.indexOf(MARK); at >= 0; at = part.indexOf(MARK, at + MARK.length)) count++
  }
  return count
}

/**
 * Prepares large messages in a worker and leaves the others (null) to whoever sends them. What it gives is the same as that of
 * `prepareMessage`, and rejects with WorkerDied when a worker died of the message.
 */
export function largeElsewhere(
  workers: Workers,
  boundaries: Pick<Boundaries, 'of'>,
): (delivery: Delivery) => PreparedMessage | null {
  return (delivery) =>
    isLarge(delivery.message) ? prepareElsewhere(workers, delivery, boundaries.of(delivery.emailId)) : null
}

function prepareElsewhere(
  workers: Workers,
  { emailId, companyId, message, signing }: Delivery,
  boundary: string,
): PreparedMessage {
  // What is handed to workers is copied; a view would take all that lies beneath it along.
  const order = { emailId, message: tight(message), signing, boundary }
  const weight = weightOf(message)
  return madeOnce((capabilities) =>
    // Sessions bound how many there are; a message that waits for its turn keeps only its own session.
    workers.run(job, { ...order, capabilities }, { company: companyId, weight, patient: true }),
  )
}

/** Asks `make` once for each variant there is: one for servers of 8BITMIME that needs none of it is the same for all. */
export function madeOnce(
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

function tight(message: DeliveryMessage): DeliveryMessage {
  if (message.kind === 'raw') return { ...message, raw: alone(message.raw) }
  const attachments = message.content.attachments.map((file) => ({ ...file, content: alone(file.content) }))
  return { ...message, content: { ...message.content, attachments } }
}
