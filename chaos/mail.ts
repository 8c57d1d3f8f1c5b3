/**
 * What the load sends. A message follows from the run's seed and its own number alone, so that the senders, the sink and the checker
 * agree about it without talking, and nobody has to keep it.
 */
import { createHash } from 'node:crypto'
import { Random, seedFor } from '../harness/random.ts'

/** The domain that is sent from. */
export const SENDING_DOMAIN = 'acme.test'
/** Recipient domains `in0.test` ... */
export const DOMAINS = 8
/** Most recipients of one message. */
const MAX = 12

export type Shape =
  | 'json'
  | 'json-several'
  | 'json-attachments'
  | 'json-large'
  | 'json-scheduled'
  | 'form'
  | 'form-several'
  | 'form-attachments'
  | 'form-batch'
  | 'form-mime'
  | 'form-scheduled'
  | 'smtp'
  | 'smtp-several'

const SHAPES: readonly (readonly [Shape, number])[] = [
  ['json', 22],
  ['json-several', 12],
  ['json-attachments', 8],
  ['json-large', 0.4],
  ['json-scheduled', 6],
  ['form', 14],
  ['form-several', 8],
  ['form-attachments', 6],
  ['form-batch', 8],
  ['form-mime', 8],
  ['form-scheduled', 4],
  ['smtp', 12],
  ['smtp-several', 6],
]

export interface MailFile {
  name: string
  type: string
  content: Buffer
}

export interface Mail {
  number: number
  shape: Shape
  dialect: 'json' | 'form' | 'smtp'
  from: string
  to: string[]
  cc: string[]
  bcc: string[]
  subject: string
  /** Lines end in LF. */
  text: string
  html: string | null
  files: MailFile[]
  /** Batch sending: values by address. */
  variables: Record<string, Record<string, string>> | null
  /** A ready message; then `text` is what stands in it. */
  mime: Buffer | null
  /** Ms after the request is made, null: at once. */
  delay: number | null
  /** The request carries an idempotency key and is repeated until it is answered. */
  keyed: boolean
}

/** Slots of a message: its recipients in the order to, cc, bcc. */
export function recipientsOf({ to, cc, bcc }: Pick<Mail, 'to' | 'cc' | 'bcc'>): string[] {
  return [...to, ...cc, ...bcc]
}

const ADDRESS = /^n(\d+)-(\d+)@in(\d+)\.test$/

/** Number and slot of an address of the load; null for any other. */
export function readAddress(address: string): { number: number; slot: number; domain: number } | null {
  const parts = ADDRESS.exec(address)
  return parts && { number: Number(parts[1]), slot: Number(parts[2]), domain: Number(parts[3]) }
}

const SUBJECT = /^chaos (\d+)\b/

/** The number in a subject of the load; null for any other. */
export function readSubject(subject: string): number | null {
  const digits = SUBJECT.exec(subject)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** How many recipients a message has, without making it. */
export function recipientCount(seed: number, number: number): number {
  return headOf(new Random(seedFor(seed, 'mail', number))).recipients
}

function headOf(random: Random): { shape: Shape; recipients: number } {
  const shape = random.weighted(SHAPES)
  const several = shape.endsWith('-several') || shape === 'form-batch'
  const recipients = several ? random.int(2, MAX) : shape === 'form-mime' ? random.int(1, 3) : 1
  return { shape, recipients }
}

const WORDS =
  'order invoice Übersicht réservation ticket 注文 delivery confirmation password reminder 🚚 thanks'.split(
    ' ',
  )

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}

/** Lines of all kinds: beginning with dots, empty, long. */
function textOf(random: Random, number: number): string {
  const lines = [`Message ${number}`]
  for (let left = random.int(1, 30); left > 0; left--) {
    const kind = random.next()
    if (kind < 0.05) lines.push('.')
    else if (kind < 0.1) lines.push(`..${words(random, 3)}`)
    else if (kind < 0.15) lines.push('')
    else if (kind < 0.18) lines.push(words(random, 300))
    else lines.push(words(random, random.int(1, 12)))
  }
  return `${lines.join('\n')}\n`
}

function octets(random: Random, length: number): Buffer {
  const block = createHash('sha512').update(String(random.next())).digest()
  const content = Buffer.alloc(length)
  for (let at = 0; at < length; at += block.length) {
    block.copy(content, at)
    content.writeUInt8((at / block.length) & 255, at)
  }
  return content
}

function filesOf(random: Random, shape: Shape): MailFile[] {
  const file = (length: number, index: number): MailFile => ({
    name: `file ${index} ${random.int(0, 999)}.bin`,
    type: 'application/octet-stream',
    content: octets(random, length),
  })
  if (shape === 'json-large') return [file(random.int(500_000, 2_000_000), 0)]
  if (shape !== 'json-attachments' && shape !== 'form-attachments') return []
  return Array.from({ length: random.int(1, 3) }, (_, index) => file(random.int(1, 60_000), index))
}

export function mailOf(seed: number, number: number): Mail {
  const random = new Random(seedFor(seed, 'mail', number))
  const { shape, recipients } = headOf(random)
  const addresses = Array.from(
    { length: recipients },
    (_, slot) => `n${number}-${slot}@in${random.int(0, DOMAINS - 1)}.test`,
  )
  const batch = shape === 'form-batch'
  // In a batch every recipient is named in `to`; elsewhere they spread over the fields, the first in `to`.
  const spread = shape.endsWith('-several')
  const shown = spread ? random.int(1, recipients) : recipients
  const copied = spread ? random.int(shown, recipients) : recipients
  const [dialect] = shape.split('-') as [Mail['dialect']]
  const mail: Mail = {
    number,
    shape,
    dialect,
    from: `Chaos Orders <orders@${SENDING_DOMAIN}>`,
    to: addresses.slice(0, shown),
    cc: addresses.slice(shown, copied),
    bcc: addresses.slice(copied),
    subject: `chaos ${number} ${words(random, 2)}`,
    text: textOf(random, number),
    html: random.chance(0.5) ? `<p>Message ${number}: <b>${words(random, 20)}</b></p>\n` : null,
    files: filesOf(random, shape),
    variables: null,
    mime: null,
    delay: shape.endsWith('scheduled') ? random.int(500, 20_000) : null,
    // The clients of the form dialect know no such key; of the others some go without.
    keyed: dialect !== 'form' && random.chance(0.8),
  }
  if (batch) {
    mail.variables = Object.fromEntries(
      mail.to.map((address, index) => [address, { name: `Nr ${index}`, code: `${number}.${index}` }]),
    )
    mail.text = `Dear %recipient.name%,\nyour code is <%recipient.code%>.\n${mail.text}`
    mail.html &&= `${mail.html}<p>%recipient.code%</p>\n`
  }
  if (shape === 'form-mime' || dialect === 'smtp') {
    mail.html = null
    mail.mime = mimeOf(mail)
  }
  return mail
}

function mimeOf(mail: Mail): Buffer {
  const encoded = `=?UTF-8?B?${Buffer.from(mail.subject).toString('base64')}?=`
  const head = [
    `From: ${mail.from}`,
    `To: ${mail.to.join(',\r\n ')}`,
    ...(mail.cc.length === 0 ? [] : [`Cc: ${mail.cc.join(',\r\n ')}`]),
    `Subject: ${encoded}`,
    'Date: Sat, 21 Nov 2026 03:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'X-Chaos: ready',
    ...(mail.keyed ? [`Resend-Idempotency-Key: chaos-${mail.number}`] : []),
  ]
  const body = Buffer.from(mail.text).toString('base64').replaceAll(/.{76}/g, '$&\r\n').trimEnd()
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}\r\n`)
}
