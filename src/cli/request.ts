import { type Command, InvalidArgumentError } from 'commander'
import { clip } from '../common/clip.ts'
import { listApiRequests, showApiRequest } from '../operate/api-requests.ts'
import { companyName } from '../operate/find.ts'
import { apiRequestJson } from '../operate/shapes/api-request.ts'
import { command, countUpTo, group, type JsonOption } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printFields, printJson } from './print.ts'

export function addRequest(program: Command): void {
  const request = group(program, 'request', 'API requests: what clients sent, and the answers they got.', [
    'request list --company Acme --refused',
    'request show ID',
  ])

  command(request, {
    usage: 'list',
    description: 'List API requests, the newest first.',
    details:
      'The list contains HTTP requests with a key, and messages and refused commands over SMTP. A busy service does not keep ' +
      'every successful request. POSTROAD_RETENTION_API_LOG sets how long requests are kept.',
    examples: ['request list --refused', 'request list --status 422 --endpoint /emails --json'],
  })
    .option('--company <name or id>', 'only those of this company')
    .option('--refused', 'only refused requests')
    .option('--status <code>', 'only those with this HTTP or SMTP status', statusOf)
    .option('--key <name or id>', 'only those with this key')
    .option('--endpoint <path>', 'only those whose path begins with this text')
    .option('--error <name>', 'only those with this error')
    .option('--limit <count>', 'at most this many', countUpTo(1_000), 50)
    .action(list)

  command(request, {
    usage: 'show <id>',
    description: 'Show one API request with the fields that the client sent, and the answer.',
    details: 'Secrets and the content of mail are not stored: those fields show only their size.',
    examples: ['request show 019abcde-0000-7000-8000-000000000000'],
  }).action(show)
}

function statusOf(text: string): number {
  if (!/^\d{3}$/.test(text)) throw new InvalidArgumentError('It must be a status such as 422.')
  return Number(text)
}

const list = listing({
  verb: listApiRequests,
  json: apiRequestJson,
  titles: ['TIME', 'ID', 'COMPANY', 'METHOD', 'ENDPOINT', 'STATUS', 'ERROR', 'MS', 'CLIENT'],
  row: ({ at, id, companyId, method, endpoint, status, error, duration, address }, op) => [
    formatTime(at),
    id,
    companyId === null ? '-' : companyName(op, companyId),
    method,
    clip(endpoint, 60),
    String(status),
    error ?? '',
    duration === null ? '' : String(duration),
    address,
  ],
  nothing: 'No API request matches.',
})

async function show(id: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const request = await showApiRequest(op, { id })
    if (json) return printJson(apiRequestJson(request))
    const { companyId, method, endpoint, status, error, keyId, address, userAgent, duration } = request
    printFields([
      ['ID', request.id],
      ['Time', formatTime(request.at)],
      ['Company', companyId === null ? 'unknown key' : companyName(op, companyId)],
      ['Key', keyId ?? 'unknown'],
      ['Request', `${method} ${endpoint}`],
      ['Status', String(status)],
      ['Error', error ?? 'none'],
      ['Duration', duration === null ? 'not measured' : `${duration} ms`],
      ['Client', [address, userAgent].filter(Boolean).join(', ')],
      ['Sent', request.request ?? 'nothing'],
      ['Answer', request.response ?? 'not kept'],
    ])
  })
}
