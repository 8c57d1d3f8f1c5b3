/** Fields of a delivery status notification (RFC 3464 2), as servers write them. */
import { cleanAddress, typedAddress } from './address-text.ts'
import { messageIdIn } from './message-id-text.ts'
import type { NamedEnvelope, ReportedAction } from './report.ts'

/** Recipients that are read; a transaction has at most some hundreds. */
const MAX_RECIPIENTS = 1_000
const MAX_LINES = 20_000
const MAX_VALUE = 4_000

/** The fields of one recipient. */
export interface StatusFields {
  /**
   * The address that the mail was sent to, or the only one named; null when the fields name a program, or no recipient.
   */
  address: string | null
  original: string | null
  /** Final-Recipient (RFC 3464 2.3.2). */
  final: string | null
  action: ReportedAction | null
  /** The enhanced code in the field Status (RFC 3464 2.3.4). */
  status: string | null
  /** Diagnostic-Code (RFC 3464 2.3.6) without its type; '' when there is none, or when it is only an exit code. */
  diagnostic: string
  /** The type of the diagnostic is X-Unix: it comes from a program, not from an SMTP server. */
  local: boolean
  /** The report names the time until which the server tries (RFC 3464 2.3.9). */
  retries: boolean
}

export interface DeliveryStatus extends NamedEnvelope {
  recipients: StatusFields[]
}

/** Fields that begin another recipient when they occur again: some servers leave the empty line between them out. */
const ONCE = new Set(['original-recipient', 'final-recipient', 'action'])

/** Reads the content of a message/delivery-status, or the same fields within a text. */
export function readDeliveryStatus(text: string): DeliveryStatus {
  const recipients: StatusFields[] = []
  let messageId: string | null = null
  let envelopeId: string | null = null
  let mailFrom: string | null = null
  for (const group of groupsOf(text)) {
    // Google's and Mimecast's field.
    messageId ??= messageIdIn(group.get('x-original-message-id') ?? '')
    envelopeId ??= group.get('original-envelope-id')?.slice(0, 200) ?? null
    mailFrom ??= typedAddress(group.get('x-postfix-sender') ?? '')
    const recipient = recipientOf(group)
    if (recipient === null) continue
    const last = recipients.at(-1)
    // An empty line within the fields of one recipient.
    if (recipient.address === null && last !== undefined && last.action === null)
      Object.assign(last, rest(recipient, last))
    else if (recipients.length < MAX_RECIPIENTS) recipients.push(recipient)
  }
  return { messageId, envelopeId, mailFrom, recipients }
}

function rest(later: StatusFields, earlier: StatusFields): StatusFields {
  return {
    address: earlier.address,
    original: earlier.original,
    final: earlier.final,
    action: later.action,
    status: earlier.status ?? later.status,
    diagnostic: earlier.diagnostic === '' ? later.diagnostic : earlier.diagnostic,
    local: earlier.local || later.local,
    retries: earlier.retries || later.retries,
  }
}

/** True when a text holds such fields outside a part of their own. */
export function holdsDeliveryStatus(text: string): boolean {
  return /^(?:final|original)-recipient[ \t]*:/im.test(text) && /^(?:action|status)[ \t]*:/im.test(text)
}

type FieldGroup = Map<string, string>

/** Fields until the next empty line, or until one of them begins another recipient. */
function groupsOf(text: string): FieldGroup[] {
  const groups: FieldGroup[] = []
  let group: FieldGroup = new Map()
  let last = ''
  const end = () => {
    if (group.size > 0) groups.push(group)
    group = new Map()
    last = ''
  }
  for (const line of text.split(/\r?\n/, MAX_LINES)) {
    if (line.trim() === '') {
      end()
      continue
    }
    const field = /^([A-Za-z][A-Za-z0-9-]{1,60})[ \t]*:(.*)$/.exec(line)
    if (field === null || /^[ \t]/.test(line)) {
      // Some servers do not indent the lines that continue a reply.
      const value = group.get(last)
      if (value !== undefined && value.length < MAX_VALUE) group.set(last, `${value} ${line.trim()}`)
      continue
    }
    const name = field[1]!.toLowerCase()
    if (ONCE.has(name) && group.has(name)) end()
    if (!group.has(name)) group.set(name, field[2]!.trim().slice(0, MAX_VALUE))
    last = name
  }
  end()
  return groups
}

function recipientOf(group: FieldGroup): StatusFields | null {
  const final = group.get('final-recipient')
  const original = group.get('original-recipient')
  const action = group.get('action')
  const status = group.get('status')
  if (final === undefined && original === undefined && action === undefined) return null
  const failed = final === undefined ? null : typedAddress(final)
  const written = original === undefined ? null : withoutXtext(typedAddress(original), failed)
  const address = written ?? failed ?? typedAddress(group.get('x-actual-recipient') ?? '')
  return {
    address,
    original: written,
    final: failed,
    action: actionOf(action),
    status: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(status ?? '')?.[0] ?? null,
    diagnostic: diagnosticOf(group.get('diagnostic-code') ?? ''),
    local: /^x-unix\s*;/i.test(group.get('diagnostic-code') ?? ''),
    retries: group.has('will-retry-until'),
  }
}

/**
 * Some servers repeat ORCPT as they got it, in xtext (RFC 3461 4): `jane+2Bnews@`. In other addresses a plus sign
 * stands for itself, so Final-Recipient decides.
 */
function withoutXtext(original: string | null, final: string | null): string | null {
  const decoded = original?.replace(/\+([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decoded?.toLowerCase() === final?.toLowerCase() ? final : original
}

const ACTIONS: ReadonlyMap<string, ReportedAction> = new Map([
  ['failed', 'failed'],
  ['failure', 'failed'],
  ['delayed', 'delayed'],
  ['delay', 'delayed'],
  ['delivered', 'delivered'],
  ['relayed', 'relayed'],
  ['expanded', 'expanded'],
  ['deliverable', 'deliverable'],
  // Postfix's other answer to a probe.
  ['undeliverable', 'failed'],
])

function actionOf(value: string | undefined): ReportedAction | null {
  return ACTIONS.get(/^[a-z]+/i.exec(value ?? '')?.[0].toLowerCase() ?? '') ?? null
}

/** The type (`smtp;`, `x-postfix;`) may be missing. An exit code alone, such as `x-unix; 77`, says nothing. */
function diagnosticOf(value: string): string {
  const words = value.replace(/^[A-Za-z][A-Za-z0-9-]{0,40}\s*;\s*/, '').trim()
  return /^\d{1,2}$/.test(words) || cleanAddress(words) !== null ? '' : words
}
