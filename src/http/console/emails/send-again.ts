/** Sends what an email holds as a new one: the same parts, with a date and Message-ID of its own. */
import type { Principal } from '../../../accounts/account.ts'
import type { RecipientValues } from '../../../email/stored-email.ts'
import type { Outcome, Terms } from '../../../intake/check.ts'
import type { Submission, SubmittedAttachment } from '../../../intake/submission.ts'
import { OperateError } from '../../../operate/error.ts'
import { noSuchEmail } from '../../../operate/find.ts'
import { jobAt } from '../../../workers/job.ts'
import type { Visitor } from '../../admission/visit.ts'
import type { HttpCore } from '../../core.ts'
import { fingerprinted } from '../../idempotency.ts'
import { SMALL_BODY } from '../../reading.ts'
import type { ShownEmail } from '../../shown-emails/copy.ts'
import checkAgain from './send-again-job.ts'

const job = jobAt<{ submission: Submission; terms: Terms }, Outcome>(
  new URL('./send-again-job.ts', import.meta.url),
)

export interface Again {
  /** One click sends once. */
  click: string
  /** To others; absent: to the same. */
  to?: string | undefined
}

/** The id of the new email. Rejects with what it is refused for. */
export async function sendAgain(
  core: HttpCore,
  request: Visitor,
  email: ShownEmail,
  sender: Principal,
  { click, to }: Again,
): Promise<string> {
  const { intake, workers } = core.deps
  const weight = email.origin.octets + (email.origin.rawOctets ?? 0)
  await core.limit.admission.reserve(request, 2 * weight + email.origin.size)
  const idempotent = { key: click, endpoint: 'console again' }
  const submission = {
    ...(await submissionOf(core, email, to?.trim() || undefined)),
    idempotency: await fingerprinted(idempotent, [email.id, to ?? null]),
  }
  const asked = { submission, terms: intake.terms() }
  const outcome =
    weight <= SMALL_BODY
      ? checkAgain(asked)
      : await workers.run(job, asked, { company: sender.companyId, weight })
  return (await intake.accept(sender, outcome)).id
}

async function submissionOf(
  { deps: { store, accounts } }: HttpCore,
  { id, op }: ShownEmail,
  to: string | undefined,
): Promise<Submission> {
  const email = await store.readEmail(id)
  // Retention may have been faster.
  if (email === null) throw noSuchEmail(id)
  if (email.contentRemoved) {
    throw new OperateError('not_found', 'its content was removed when its retention time was over')
  }
  const [told] = await op.store.readTold([{ emailId: id, recipient: null, known: false }], 1)
  const domain = accounts.directory.domain(email.domainId)
  if (domain === undefined) throw new OperateError('conflict', 'its sending domain was removed')
  const { from, cc, replyTo, subject, html, text = '', amp, headers } = email.content
  const raw = await store.readRaw(id)
  const everybody = to === undefined
  const everyone = { from: 0, limit: 1_000_000 }
  const addresses = async () => (await store.readRecipients(id, everyone)).map(({ address }) => address)
  const values = async () => await store.readValues(id, { ...everyone, octets: Number.MAX_SAFE_INTEGER })
  const individual = told?.email?.individual === true
  return {
    ...{ domain: domain.name, from, subject, replyTo, headers, text },
    to: everybody ? (raw === null ? email.content.to : await addresses()) : [to],
    cc: everybody ? cc : [],
    bcc: everybody ? email.bcc : [],
    ...(html !== undefined && { html }),
    ...(amp !== undefined && { amp }),
    attachments: raw === null ? await filesOf(store, id) : [],
    ...(raw !== null && { raw }),
    ...(individual && { recipientVariables: variablesFor(await values(), to) }),
    ...{ tags: email.tags, variables: email.variables, testMode: email.testMode },
  }
}

/** A recipient of before keeps the values of then; another address gets those of the first recipient. */
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

async function filesOf(store: HttpCore['deps']['store'], id: string): Promise<SubmittedAttachment[]> {
  const files: SubmittedAttachment[] = []
  for (const { position, filename, contentType, disposition, contentId } of await store.listFiles(id)) {
    const content = await store.readFile(id, position)
    if (content === null) throw new OperateError('not_found', 'one of its files is gone')
    files.push({ filename, contentType, content, disposition, ...(contentId !== null && { contentId }) })
  }
  return files
}
