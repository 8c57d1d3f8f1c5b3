import { type Command, Option } from 'commander'
import { type ApiKey, SCOPES, type Scope } from '../accounts/account.ts'
import { type CompanyFilter, checkedName, companyName } from '../operate/find.ts'
import {
  checkedRanges,
  createKey,
  listKeys,
  renameKey,
  revokeKey,
  rotateKey,
  withLastUse,
} from '../operate/keys.ts'
import { keyDomain, keyJson, listedKeyJson } from '../operate/shapes/key.ts'
import type { Operation } from '../operate/verb.ts'
import { command, group, type JsonOption, parser } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printFields, printJson, printLine } from './print.ts'
import { whenOf } from './when.ts'

export function addKey(program: Command): void {
  const key = group(program, 'key', 'API keys: applications use them to send and read mail.', [
    'key create --company Acme --name website',
    'key list',
    'key revoke ID',
  ])

  command(key, {
    usage: 'create',
    description: 'Create an API key and print its token, which is shown only once.',
    details:
      'Scopes: sending (send mail, and read the mail that this key sent), reading (read all mail of the company, or of the one ' +
      'domain), management. Without --scope, a key gets sending and reading.\n\n' +
      'With --expires, the key stops working at that time. With --from, it works only for requests from these addresses. Behind a proxy, add ' +
      'the proxy to POSTROAD_TRUSTED_PROXIES; otherwise every request appears to come from the proxy.',
    examples: [
      'key create --company Acme --name website',
      'key create --company Acme --name shop --scope sending --domain shop.example.com',
      'key create --company Acme --name backend --scope sending --scope reading --json',
      'key create --company Acme --name batch --expires 90d --from 10.0.0.0/8 --from 2001:db8::/32',
    ],
  })
    .requiredOption('--company <name or id>', 'the company it belongs to')
    .requiredOption('--name <text>', 'the name shown in lists', nameOf)
    .addOption(new Option('--scope <scope...>', 'what it may do; can be repeated').choices(SCOPES))
    .option('--domain <domain>', 'the only domain it may send from')
    .option(
      '--expires <when>',
      'when it expires: 2027-01-01, 2027-01-01T12:00:00Z, or a time from now: 12h, 30d',
      whenOf,
    )
    .option(
      '--from <addresses>',
      'where it may be used: an IP address or range; can be repeated',
      (text: string, earlier: string[] = []) => parser(checkedRanges)([...earlier, text]),
    )
    .action(create)

  command(key, {
    usage: 'list',
    description: 'List API keys. The beginning of each token is shown, and when the key was last used.',
    examples: ['key list', 'key list --company Acme'],
  })
    .option('--company <name or id>', 'only those of this company')
    .action(list)

  command(key, {
    usage: 'rename',
    description:
      'Rename an API key. Its scopes and restrictions cannot be changed: create another key instead.',
    examples: ['key rename 019abcde-0000-7000-8000-000000000000 "The new shop"'],
  })
    .argument('<id>', 'the ID of the key, as in `key list`')
    .argument('<name>', 'the name shown in lists', nameOf)
    .action(rename)

  command(key, {
    usage: 'rotate <id>',
    description:
      'Replace an API key: create one with the same name, scopes and restrictions. The old key expires in seven days.',
    details:
      'Both keys work until the old one expires. The token of the new key is printed, and shown only once.',
    examples: [
      'key rotate 019abcde-0000-7000-8000-000000000000',
      'key rotate 019abcde-0000-7000-8000-000000000000 --old-expires 24h --json',
    ],
  })
    .option(
      '--old-expires <when>',
      'when the old key expires: 2027-01-01, or a time from now: 24h, 30d',
      whenOf,
    )
    .action(rotate)

  command(key, {
    usage: 'revoke <id>',
    description: 'Revoke an API key permanently. It stops working on every node within a second.',
    examples: ['key revoke 019abcde-0000-7000-8000-000000000000'],
  }).action(revoke)
}

const nameOf = parser((text: string) => checkedName('key', text))

interface CreateOptions extends JsonOption {
  company: string
  name: string
  scope?: Scope[]
  domain?: string
  expires?: number
  from?: string[]
}

interface RotateOptions extends JsonOption {
  oldExpires?: number
}

async function create({ scope, expires, from, json, ...named }: CreateOptions): Promise<void> {
  await withOperation(async (op) => {
    const input = { ...named, scopes: scope, expiresAt: expires, networks: from }
    printMade(op, await createKey(op, input), json)
  })
}

async function rotate(id: string, { oldExpires, json }: RotateOptions): Promise<void> {
  await withOperation(async (op) => {
    const made = await rotateKey(op, { id, endsAt: oldExpires })
    const { old } = made
    printMade(op, made, json, { old: keyJson(op.accounts, old) })
    if (!json) printLine(`The old key (id ${old.id}) works until ${formatTime(old.expiresAt)}.`)
  })
}

/** `more`: further fields of the JSON. */
function printMade(
  op: Operation,
  { key, token, company }: Awaited<ReturnType<typeof createKey>>,
  json: boolean | undefined,
  more: object = {},
): void {
  if (json) {
    const { id, ...rest } = keyJson(op.accounts, key)
    printJson({ id, token, ...rest, ...more })
    return
  }
  printFields([
    ['ID', key.id],
    ['Token', token],
    ['Company', company.name],
    ['Scopes', key.scopes.join(', ')],
    ['Domain', keyDomain(op.accounts, key) ?? 'all of the company'],
    ['From', key.networks.length === 0 ? 'anywhere' : key.networks.join(', ')],
    ['Expires', formatTime(key.expiresAt) ?? 'never'],
  ])
  printLine()
  printLine('Save the token now: it cannot be shown again.')
}

const list = listing({
  verb: async (op: Operation, of: CompanyFilter) => await withLastUse(op, await listKeys(op, of)),
  json: (key, op) => listedKeyJson(op.accounts, key),
  titles: [
    'ID',
    'NAME',
    'TOKEN',
    'COMPANY',
    'SCOPES',
    'DOMAIN',
    'FROM',
    'CREATED',
    'LAST USED',
    'EXPIRES',
    'REVOKED',
  ],
  row: (key, op) => [
    key.id,
    key.name,
    key.tokenStart && `${key.tokenStart}…`,
    companyName(op, key.companyId),
    key.scopes.join(','),
    keyDomain(op.accounts, key) ?? 'all',
    key.networks.join(',') || 'anywhere',
    formatTime(key.createdAt),
    formatTime(key.lastUse?.at ?? null),
    formatExpiry(key),
    formatTime(key.revokedAt),
  ],
  nothing: 'There are no API keys yet. Create one: postroad key create --company NAME --name first',
})

async function rename(id: string, name: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const key = await renameKey(op, { id, name })
    if (json) return printJson(keyJson(op.accounts, key))
    printLine(`Renamed the key ${id} to ${key.name}.`)
  })
}

async function revoke(id: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const key = await revokeKey(op, { id })
    if (json) return printJson(keyJson(op.accounts, key))
    printLine(`Revoked the key ${key.name} (id ${id}).`)
  })
}

function formatExpiry({ expiresAt }: ApiKey): string {
  if (expiresAt === null) return 'never'
  return `${formatTime(expiresAt)}${expiresAt <= Date.now() ? ' (expired)' : ''}`
}
