import { type Command, Option } from 'commander'
import { clip } from '../common/clip.ts'
import { WEBHOOK_DIALECTS, webhookWords } from '../events/notices/types.ts'
import { companyName } from '../operate/find.ts'
import { webhookAttemptJson, webhookJson } from '../operate/shapes/webhook.ts'
import type { Operation } from '../operate/verb.ts'
import { showWebhookHealth, type WebhookHealth } from '../operate/webhook-events.ts'
import type { OwnedWebhook } from '../operate/webhook-find.ts'
import { hasOwnSecret, rotateWebhookSecret } from '../operate/webhook-secrets.ts'
import { checkedWebhookUrl } from '../operate/webhook-url.ts'
import {
  addWebhook,
  listWebhooks,
  type NewWebhookInput,
  removeWebhook,
  updateWebhook,
} from '../operate/webhooks.ts'
import { command, group, type JsonOption, parser } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printFields, printJson, printLine } from './print.ts'
import { addMessageCommands, ID } from './webhook-messages.ts'

export function addWebhookCommands(program: Command): void {
  const webhook = group(program, 'webhook', 'Webhooks: URLs that the events of a company are sent to.', [
    'webhook add --company Acme --url https://app.example.com/hook --event email.delivered --event email.bounced',
    'webhook list',
    `webhook attempts ${ID} --failed`,
    'webhook replay --since 2026-01-01T12:00:00Z --company Acme',
    `webhook test ${ID} --event email.bounced`,
  ])

  command(webhook, {
    usage: 'add',
    description: 'Send events to a URL from now on, and print the secret that signs them.',
    details:
      `${webhookEventsDescribed()}\n\n` +
      'Webhooks of the form dialect are signed with the signing key of the company, which is the same for all of them.',
    examples: [
      'webhook add --company Acme --url https://app.example.com/hook',
      'webhook add --company Acme --url https://app.example.com/hook --event email.bounced --event email.complained',
      'webhook add --company Acme --domain mg.example.com --dialect form --url https://app.example.com/mg --event permanent_fail',
    ],
  })
    .requiredOption('--company <name or id>', 'the company whose events are sent')
    .requiredOption(
      '--url <url>',
      'the URL to send events to: https:// or http://',
      parser(checkedWebhookUrl),
    )
    .option('--event <event...>', 'which events; can be repeated')
    .option('--domain <domain>', 'only events of mail from this sending domain')
    .addOption(dialectOption())
    .action(add)

  command(webhook, {
    usage: 'list',
    description: 'List webhooks.',
    examples: ['webhook list', 'webhook list --company Acme'],
  })
    .option('--company <name or id>', 'only those of this company')
    .action(list)

  command(webhook, {
    usage: 'show <id>',
    description: 'Show a webhook, its events, and whether they arrive.',
    examples: [`webhook show ${ID}`],
  }).action(show)

  command(webhook, {
    usage: 'remove <id>',
    description: 'Remove a webhook with its attempts. No more events are sent to it.',
    examples: [`webhook remove ${ID}`],
  }).action(remove)

  command(webhook, {
    usage: 'enable <id>',
    description: 'Enable a disabled webhook: events from now on are sent to it again.',
    details: 'To send the events it missed: webhook replay ID --since TIME.',
    examples: [`webhook enable ${ID}`],
  }).action(changeAction((op, id) => updateWebhook(op, { id, enabled: true })))

  command(webhook, {
    usage: 'disable <id>',
    description: 'Disable a webhook: no events are sent to it until it is enabled again.',
    examples: [`webhook disable ${ID}`],
  }).action(changeAction((op, id) => updateWebhook(op, { id, enabled: false })))

  command(webhook, {
    usage: 'rotate <id>',
    description:
      'Create a new secret and print it. For a day, events are signed with the old secret as well.',
    examples: [`webhook rotate ${ID}`],
  }).action(rotate)

  addMessageCommands(webhook)
}

/** The events of each dialect, for the command's help. */
export function webhookEventsDescribed(): string {
  const words = WEBHOOK_DIALECTS.map(
    (dialect) => `Events of the ${dialect} dialect: ${webhookWords(dialect).join(', ')}.`,
  )
  return [...words, 'Without --event, all events are sent.'].join(' ')
}

export function dialectOption(): Option {
  return new Option('--dialect <dialect>', 'the format of the events')
    .choices(WEBHOOK_DIALECTS)
    .default('json')
}

interface AddOptions extends JsonOption, Omit<NewWebhookInput, 'events'> {
  event?: string[]
}

async function add({ json, event, ...input }: AddOptions): Promise<void> {
  await withOperation(async (op) => {
    const { secret, ...added } = await addWebhook(op, { ...input, events: event })
    printWithSecret(added, secret, json)
  })
}

async function rotate(id: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const { secret, ...rotated } = await rotateWebhookSecret(op, { id })
    printWithSecret(rotated, secret, json)
  })
}

function printWithSecret(owned: OwnedWebhook, secret: string, json: true | undefined): void {
  if (json) {
    printJson({ ...webhookJson(owned), secret })
    return
  }
  printWebhook(owned, [], [['Secret', secret]])
  if (!hasOwnSecret(owned.webhook.dialect)) return
  printLine()
  printLine('Save the secret now: it cannot be shown again.')
}

const list = listing({
  verb: listWebhooks,
  json: webhookJson,
  titles: ['ID', 'COMPANY', 'DOMAIN', 'DIALECT', 'STATUS', 'FAILING SINCE', 'URL'],
  row: ({ webhook, domain }, op) => [
    webhook.id,
    companyName(op, webhook.companyId),
    domain?.name ?? (webhook.domainId === null ? 'all' : 'removed'),
    webhook.dialect,
    webhook.status,
    formatTime(webhook.failingSince),
    clip(webhook.url, 100),
  ],
  nothing: 'There are no webhooks yet. Create one: postroad webhook add --company NAME --url URL',
})

/** An action that changes a webhook and prints its new state. */
function changeAction(verb: (op: Operation, id: string) => Promise<OwnedWebhook>) {
  return async (id: string, { json }: JsonOption): Promise<void> => {
    await withOperation(async (op) => {
      const owned = await verb(op, id)
      if (json) printJson(webhookJson(owned))
      else printWebhook(owned)
    })
  }
}

async function show(id: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const health = await showWebhookHealth(op, { id })
    const { webhook, lastEvent, lastAttempt } = health
    if (json) {
      const last_attempt = lastAttempt && webhookAttemptJson(lastAttempt)
      return printJson({ ...webhookJson(health), log_ends_at: lastEvent, last_attempt })
    }
    const behind = lastEvent > webhook.cursor ? `; the latest event is ${lastEvent}` : ', the latest'
    printWebhook(health, [
      ['Sent up to', `event ${webhook.cursor}${behind}`],
      ['Last attempt', lastAttempt && formatTry(lastAttempt)],
    ])
    if (webhook.failingSince !== null) printFailing(webhook.id)
  })
}

/** Waiting events are sent without further action once the receiver accepts them. */
function printFailing(id: string): void {
  printLine()
  printLine(
    'Fix the receiver, or add another webhook with the correct URL. Waiting events are sent again automatically.',
  )
  printLine(`To see the answers: postroad webhook attempts ${id} --failed`)
  printLine(`To test it now:     postroad webhook test ${id} --event EVENT`)
}

function formatTry({
  at,
  type,
  attempt,
  status,
  error,
  response,
}: NonNullable<WebhookHealth['lastAttempt']>): string {
  const answer = [status, error ?? clip(response, 80)].filter(Boolean).join(' ')
  return `${formatTime(at)}, attempt ${attempt} for an event ${type}: ${answer}`
}

type PrintedFields = [string, string | null][]

function printWebhook(owned: OwnedWebhook, more: PrintedFields = [], last: PrintedFields = []): void {
  const { webhook, company, domain } = owned
  printFields([
    ['ID', webhook.id],
    ['Company', company.name],
    ['Domain', domain?.name ?? domainless(webhook)],
    ['URL', webhook.url],
    ['Dialect', webhook.dialect],
    ['Events', webhook.types.length === 0 ? 'all' : webhookJson(owned).events.join(', ')],
    [
      'Status',
      webhook.disabledReason === null ? webhook.status : `${webhook.status}: ${webhook.disabledReason}`,
    ],
    ['Failing since', formatTime(webhook.failingSince) ?? '-'],
    ...more,
    ['Created', formatTime(webhook.createdAt)],
    ...last,
  ])
}

function domainless({ domainId }: OwnedWebhook['webhook']): string {
  if (domainId === null) return 'all of the company'
  return `${domainId}, which was removed: only events that were already waiting are still sent`
}

async function remove(id: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const removed = await removeWebhook(op, { id })
    if (json) return printJson({ ...webhookJson(removed), removed: true })
    printLine(`Removed the webhook to ${removed.webhook.url}.`)
  })
}
