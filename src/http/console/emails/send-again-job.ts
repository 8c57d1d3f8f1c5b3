/** Makes a submission from a stored email and checks it like a new one: in a worker when the email is large. */
import type { StoredEmail, StoredFile } from '../../../email/stored-email.ts'
import { filesOf } from '../../../ingress/reading.ts'
import { type CheckOutcome, type CheckParameters, checkSubmission } from '../../../intake/check.ts'
import type { Submission, SubmittedAttachment } from '../../../intake/submission.ts'
import { textOf } from '../../../mail/body.ts'
import type { RecipientValues } from '../../../store/store.ts'
import { asBuffer, buffersBeneath } from '../../../workers/job.ts'

export interface SendAgainJobInput {
  email: StoredEmail
  /** Name of the sending domain. */
  domain: string
  /** Recipients of a ready message: its header need not name them. */
  addresses: string[]
  /** Other recipients; absent: the same ones. */
  to: string | undefined
  raw: Uint8Array | null
  files: (StoredFile & { content: Uint8Array })[]
  /** Lists of RecipientValues in JSON; null: the email is not a batch. */
  values: Uint8Array[] | null
  idempotency: NonNullable<Submission['idempotency']>
  terms: CheckParameters
}

export default function checkAgain(order: SendAgainJobInput): CheckOutcome {
  return checkSubmission(submissionOf(order), order.terms)
}

export function buffersOf(outcome: CheckOutcome): ArrayBuffer[] {
  return 'checked' in outcome ? [...new Set(buffersBeneath(filesOf(outcome.checked.email)))] : []
}

function submissionOf({
  email,
  domain,
  addresses,
  to,
  raw,
  files,
  values,
  idempotency,
}: SendAgainJobInput): Submission {
  const { from, cc, replyTo, subject, html, text = '', amp, headers } = email.content
  const everybody = to === undefined
  return {
    domain,
    from,
    subject,
    replyTo,
    headers,
    text: textOf(text),
    to: everybody ? (raw === null ? email.content.to : addresses) : [to],
    cc: everybody ? cc : [],
    bcc: everybody ? email.bcc : [],
    ...(html !== undefined && { html: textOf(html) }),
    ...(amp !== undefined && { amp: textOf(amp) }),
    attachments: files.map(attachmentOf),
    ...(raw !== null && { raw: asBuffer(raw) }),
    ...(values !== null && { recipientVariables: variablesFor(values.flatMap(recipientValuesOf), to) }),
    tags: email.tags,
    variables: email.variables,
    testMode: email.testMode,
    ...(email.tls !== null && email.tlsByMessage && { tls: email.tls }),
    idempotency,
  }
}

function attachmentOf({
  filename,
  contentType,
  disposition,
  contentId,
  content,
}: SendAgainJobInput['files'][number]) {
  const file: SubmittedAttachment = { filename, contentType, content: asBuffer(content), disposition }
  if (contentId !== null) file.contentId = contentId
  return file
}

function recipientValuesOf(octets: Uint8Array): RecipientValues[] {
  return JSON.parse(asBuffer(octets).toString('utf8')) as RecipientValues[]
}

/** An earlier recipient keeps the earlier values; another address gets those of the first recipient. */
function variablesFor(
  recipients: readonly RecipientValues[],
  to: string | undefined,
): Record<string, Record<string, string>> {
  const read = (variables: string) => JSON.parse(variables) as Record<string, string>
  if (to === undefined) {
    return Object.fromEntries(recipients.map(({ address, variables }) => [address, read(variables)]))
  }
  const [first] = recipients
  const addresses = to.match(/[^\s<>,;"]+@[^\s<>,;"]+/g) ?? []
  return Object.fromEntries(
    addresses.map((address) => [address, first === undefined ? {} : read(first.variables)]),
  )
}
