/** `queue retry`: what waits for another time is tried now. */
import type { Command } from 'commander'
import { companyName } from '../operate/find.ts'
import { type RetriedMail, type RetryInput, retry } from '../operate/queue.ts'
import { pauseScopeJson } from '../operate/shapes.ts'
import type { Operation } from '../operate/verb.ts'
import { command, type JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { Progress, printJson, printLine, recipientCount } from './print.ts'

interface RetryOptions extends JsonOption {
  company?: string
  domain?: string
}

export function addRetry(queue: Command): void {
  command(queue, {
    usage: 'retry [email]',
    description: 'Try waiting mail now instead of at its time: all of it, or what is named.',
    details:
      'For the moment after a relay or a network was mended: mail that was deferred meanwhile waits for up to a day. Every node ' +
      'begins at once; limits of sessions hold as always, so that a long queue takes its time. Attempts already made still count, and ' +
      'a message whose answer was lost goes to the same server only.\n\n' +
      'Left as it is: what is being sent or due already, what is paused (postroad queue resume), what is held for its sending domain ' +
      '(postroad domain activate), and what its sender scheduled for later.\n\n' +
      'Scheduled mail goes early only when its id is given.\n\n' +
      'A recipient domain is named, as `postroad queue` lists them, and not a site: the log names sites, the mail servers that some ' +
      'domains share, or a relay. What waits for a site that was closed leaves by itself once it takes mail again.',
    examples: [
      'queue retry',
      'queue retry --domain example.com',
      'queue retry --company Acme',
      'queue retry ID',
      'queue retry ID --domain example.com',
    ],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--domain <domain>', 'only what goes to this recipient domain')
    .action(tryAgain)
}

async function tryAgain(email: string | undefined, options: RetryOptions): Promise<void> {
  const { company, domain, json } = options
  await withOperation(async (op) => {
    const result = await withProgress((onStep) => retry(op, { email, company, domain, onStep }))
    const { request, ...counts } = result
    if (json) return printJson({ ...pauseScopeJson(request), email_id: request.emailId, ...counts })
    for (const line of told(result, described(op, request))) printLine(line)
  })
}

/** Tells a person how far it is: hundreds of thousands take a while. */
async function withProgress<Result>(
  work: (onStep: NonNullable<RetryInput['onStep']>) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress()
  try {
    return await work(({ retried }) => progress.show(`${recipientCount(retried)} made due ...`))
  } finally {
    progress.end()
  }
}

function told({ retried, scheduled, paused, held, delivering }: RetriedMail, what: string): string[] {
  const lines = [
    retried === 0
      ? `Nothing of ${what} waits for another time.`
      : `Due now, of ${what}: ${recipientCount(retried)}.`,
  ]
  if (paused > 0)
    lines.push(`Left, because they are paused: ${recipientCount(paused)}. See: postroad queue pauses`)
  if (held > 0) {
    lines.push(
      `Left, because their sending domain may not send: ${recipientCount(held)}. See: postroad domain list`,
    )
  }
  if (scheduled > 0) lines.push(`Left for the time their sender asked for: ${recipientCount(scheduled)}.`)
  if (retried > 0 && !delivering)
    lines.push('No node delivers mail at the moment: it goes when one is started.')
  return lines
}

function described(op: Operation, { companyId, domain, emailId }: RetriedMail['request']): string {
  const mail = emailId === null ? 'all mail' : `the email ${emailId}`
  const whose =
    companyId === null ? mail : `${emailId === null ? 'mail' : mail} of ${companyName(op, companyId)}`
  return domain === null ? whose : `${whose} to ${domain}`
}
