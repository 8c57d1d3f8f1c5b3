/** `queue retry`: what waits for another time is tried now. */
import { type Command, Option } from 'commander'
import type { AccountsSnapshot } from '../accounts/account.ts'
import type { Retried, RetryRequest, Store } from '../store/store.ts'
import { command, type JsonOption } from './command.ts'
import { CommandFailed } from './failure.ts'
import { companyFilter, companyName, domainName } from './named.ts'
import { withStore } from './open.ts'
import { Progress, printJson, printLine, recipientCount } from './print.ts'

interface RetryOptions extends JsonOption {
  company?: string
  domain?: string
  site?: string
}

export function addRetry(queue: Command): void {
  command(queue, {
    usage: 'retry [email]',
    description: 'Try waiting mail now instead of at its time: all of it, or what is named.',
    details:
      'For the moment after a relay or a network was mended: mail that failed meanwhile waits for up to a day. Every node begins at\n' +
      'once; limits of sessions hold as always, so that a long queue takes its time. Attempts already made still count, and a message\n' +
      'whose answer was lost goes to the same server only.\n\n' +
      'Left as it is: what is under way or due already, what is paused (postroad queue resume), what waits for its sending domain\n' +
      '(postroad domain activate), and what its sender scheduled for later. Scheduled mail goes early only when its id is given.',
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
    .addOption(
      new Option(
        '--site <site>',
        'only what is delivered there; a site is named by its recipient domain',
      ).conflicts('domain'),
    )
    .action(retry)
}

async function retry(emailId: string | undefined, options: RetryOptions): Promise<void> {
  await withStore(async ({ store, accounts }) => {
    const request = requestOf(accounts, emailId, options)
    if (emailId !== undefined) await refuseDone(store, emailId)
    const retried = await withProgress((onStep) => store.retry(request, onStep))
    const nodes = await store.nodes()
    const delivering = nodes.some(({ roles }) => roles.includes('delivery'))
    if (options.json) return printJson({ ...inJson(request), ...retried, delivering })
    for (const line of told(retried, described(accounts, request), delivering)) printLine(line)
  })
}

function requestOf(
  accounts: AccountsSnapshot,
  emailId: string | undefined,
  { company, domain, site }: RetryOptions,
): RetryRequest {
  const destination = domain ?? site
  return {
    companyId: companyFilter(accounts, company) ?? null,
    domain: destination === undefined ? null : domainName(destination),
    emailId: emailId ?? null,
    now: Date.now(),
  }
}

async function refuseDone(store: Store, emailId: string): Promise<void> {
  const history = await store.readHistory(emailId)
  if (history === null) {
    throw new CommandFailed(`there is no email with the id "${emailId}"; see: postroad email list`)
  }
  const { recipients } = history
  if (recipients.some(({ state }) => state === 'waiting' || state === 'sending')) return
  if (recipients.some(({ state }) => state === 'quarantined')) {
    throw new CommandFailed(`it is in quarantine; to try it again: postroad queue release ${emailId}`)
  }
  throw new CommandFailed(`nothing to retry: every recipient is done; see: postroad email show ${emailId}`)
}

/** Tells a person how far it is: hundreds of thousands take a while. */
async function withProgress<Result>(
  work: (onStep: (sum: Retried) => void) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress()
  try {
    return await work(({ retried }) => progress.show(`${recipientCount(retried)} made due ...`))
  } finally {
    progress.end()
  }
}

function told({ retried, scheduled, paused, held }: Retried, what: string, delivering: boolean): string[] {
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

function described(accounts: AccountsSnapshot, { companyId, domain, emailId }: RetryRequest): string {
  const mail = emailId === null ? 'all mail' : `the email ${emailId}`
  const whose =
    companyId === null ? mail : `${emailId === null ? 'mail' : mail} of ${companyName(accounts, companyId)}`
  return domain === null ? whose : `${whose} to ${domain}`
}

function inJson({ companyId, domain, emailId }: RetryRequest) {
  return { company_id: companyId, domain, email_id: emailId }
}
