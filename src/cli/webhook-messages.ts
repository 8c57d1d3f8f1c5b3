/** The attempts of a webhook, replays, and samples. */
import { type Command, Option } from 'commander'
import { clip } from '../common/clip.ts'
import { webhookAttemptJson, webhookJson } from '../operate/shapes/webhook.ts'
import { listWebhookAttempts, replayWebhook } from '../operate/webhook-events.ts'
import { replayMessage, replayWebhooks } from '../operate/webhook-replay.ts'
import { testWebhook } from '../operate/webhook-sample.ts'
import { command, countUpTo, type JsonOption } from './command.ts'
import { WrongUsage } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printFields, printJson, printLine } from './print.ts'
import { sinceOf } from './when.ts'

/** An id for examples. */
export const ID = '019abcde-0000-7000-8000-000000000000'
const MESSAGE = 'msg_000000016n6dnE8Gm5z2yE9Cw1'

export function addMessageCommands(webhook: Command): void {
  command(webhook, {
    usage: 'attempts <id>',
    description: 'List the attempts to send events to a webhook, newest first.',
    details: 'The last 1,000 successful attempts are kept; failed attempts are kept for 30 days.',
    examples: [
      `webhook attempts ${ID}`,
      `webhook attempts ${ID} --failed --limit 20`,
      `webhook attempts ${ID} --json`,
    ],
  })
    .addOption(new Option('--failed', 'only those that failed').conflicts('succeeded'))
    .option('--succeeded', 'only those that succeeded')
    .option('--event <message or number>', 'only those of this event', eventNamed)
    .option('--limit <count>', 'at most this many', countUpTo(10_000), 100)
    .action(attempts)

  command(webhook, {
    usage: 'replay [id]',
    description: 'Send events again under their original ids.',
    details:
      'Give the id of a message, as `webhook attempts` lists it and the receiver gets it, to send its event again. Give --since to send all events since that time, ' +
      'to all enabled webhooks or to the webhook whose id you give. Give the id of a webhook and --event to send a single event.',
    examples: [
      `webhook replay ${MESSAGE}`,
      'webhook replay --since 2026-01-01T12:00:00Z --company Acme',
      `webhook replay ${ID} --since 2026-01-01T12:00:00Z`,
      `webhook replay ${ID} --event ${MESSAGE}`,
      `webhook replay ${ID} --event 1234`,
    ],
  })
    .addOption(
      new Option(
        '--event <message or number>',
        'the id of the message or the number of the event, as in webhook attempts or events',
      )
        .argParser(eventNamed)
        .conflicts(['since', 'company']),
    )
    .option('--since <time>', 'like 2026-01-01T12:00:00Z, or 10m for the last ten minutes', sinceOf)
    .option('--company <name or id>', 'with --since: only the webhooks of this company')
    .action(replay)

  command(webhook, {
    usage: 'test <id>',
    description: 'Send a sample event now, from this machine, and print the answer.',
    examples: [`webhook test ${ID} --event email.bounced`],
  })
    .requiredOption('--event <event>', 'the event to send a sample of')
    .action(test)
}

/** A number, or the id of a message unchanged. */
function eventNamed(text: string): number | string {
  return /^\d+$/.test(text) ? countUpTo(Number.MAX_SAFE_INTEGER)(text) : text
}

interface AttemptsOptions extends JsonOption {
  failed?: true
  succeeded?: true
  event?: number | string
  limit: number
}

function attempts(id: string, { failed, succeeded, event, ...rest }: AttemptsOptions): Promise<void> {
  const kind = failed ? false : succeeded
  return listing({
    verb: (op, wanted: { limit: number }) => {
      return listWebhookAttempts(op, { id, succeeded: kind, event, ...wanted })
    },
    json: webhookAttemptJson,
    titles: ['MESSAGE', 'AT', 'EVENT', 'TYPE', 'TO', 'TRY', 'RESULT', 'MS', 'NEXT', 'ANSWER'],
    row: (tried) => {
      const { at, number, type, recipient, attempt, status, error, duration, nextAt, response } = tried
      return [
        webhookAttemptJson(tried).message_id,
        formatTime(at),
        String(number),
        type,
        clip(recipient ?? '-', 40),
        String(attempt),
        status === null ? 'no answer' : String(status),
        String(duration),
        formatTime(nextAt),
        clip(error ?? response, 80),
      ]
    },
    nothing: 'No attempts are recorded.',
  })(rest)
}

interface ReplayOptions extends JsonOption {
  event?: number | string
  since?: number
  company?: string
}

async function replay(id: string | undefined, { json, ...wanted }: ReplayOptions): Promise<void> {
  const { event, since, company } = wanted
  if (company !== undefined && (id !== undefined || since === undefined))
    throw new WrongUsage('--company can only be used with --since and without an id')
  await withOperation(async (op) => {
    if (since !== undefined) {
      const replayed =
        id === undefined
          ? await replayWebhooks(op, { since, company })
          : [await replayWebhook(op, { id, since })]
      if (json) return printJson(replayed.map(webhookJson))
      for (const { webhook } of replayed)
        printLine(`All events since ${formatTime(since)} are sent again to ${webhook.url}.`)
      if (replayed.length === 0) printLine('There are no enabled webhooks.')
      return
    }
    if (id === undefined)
      throw new WrongUsage('name the events to send again: the ID of a message, or --since TIME')
    const replayed =
      event === undefined ? await replayMessage(op, { id }) : await replayWebhook(op, { id, event })
    if (json) return printJson(webhookJson(replayed))
    printLine(`The event is sent again to ${replayed.webhook.url}.`)
  })
}

async function test(id: string, { json, event }: JsonOption & { event: string }): Promise<void> {
  await withOperation(async (op) => {
    const { body, headers, status, error, response, duration } = await testWebhook(op, { id, event })
    if (json) return printJson({ status, error, response, duration_ms: duration, headers, body })
    printFields([
      ['Sent', clip(body, 2_000)],
      ['Answer', status === null ? 'none' : `${status} after ${duration} ms`],
      ['', error ?? clip(response, 1_024)],
    ])
    if (status === null || status < 200 || status > 299) process.exitCode = 1
  })
}
