import { randomUUIDv7 } from 'node:crypto'
import { type Command, Option } from 'commander'
import { type AccountsSnapshot, type ApiKey, SCOPES, type Scope } from '../accounts/account.ts'
import { newToken } from '../accounts/token.ts'
import { command, group, type JsonOption } from './command.ts'
import { CommandFailed, WrongUsage } from './failure.ts'
import { expiryOf, rangesWith } from './key-bounds.ts'
import { companyFilter, companyName, companyNamed, domainNamed } from './named.ts'
import { withStore } from './open.ts'
import { jsonTime, printFields, printJson, printLine, printTable, shownTime } from './print.ts'

const LONGEST_NAME = 200

export function addKey(program: Command): void {
  const key = group(program, 'key', 'API keys: what applications send and read with.')

  command(key, {
    usage: 'create',
    description: 'Create an API key and print its token, the only time it can be seen.',
    details:
      'Scopes: sending (hand in mail, and read back what this key sent), reading (read all mail of the company, or of the\n' +
      'one domain), management. Without --scope a key gets sending and reading.\n\n' +
      'With --expires it works no more from then on. With --from it works only for requests from these addresses; behind a\n' +
      'proxy name the proxy in POSTROAD_TRUSTED_PROXIES, or its own address is the one that counts.',
    examples: [
      'key create --company Acme --name website',
      'key create --company Acme --name shop --scope sending --domain shop.example.com',
      'key create --company Acme --name backend --scope sending --scope reading --json',
      'key create --company Acme --name batch --expires 90d --from 10.0.0.0/8 --from 2001:db8::/32',
    ],
  })
    .requiredOption('--company <name or id>', 'the company it belongs to')
    .requiredOption('--name <text>', 'what it is for; shown in lists')
    .addOption(
      new Option('--scope <scope>', 'what it may do; can be repeated')
        .choices(SCOPES)
        .argParser((text: string, earlier: Scope[] | undefined) => [...(earlier ?? []), scopeNamed(text)]),
    )
    .option('--domain <domain>', 'the only domain it may send from')
    .option(
      '--expires <when>',
      'its end: 2027-01-01, 2027-01-01T12:00:00Z, or from now on: 12h, 30d',
      expiryOf,
    )
    .option('--from <addresses>', 'where it may be used: an IP address or range; can be repeated', rangesWith)
    .action(create)

  command(key, {
    usage: 'list',
    description: 'List API keys. Tokens cannot be shown again: only their hashes are kept.',
    examples: ['key list', 'key list --company Acme'],
  })
    .option('--company <name or id>', 'only those of this company')
    .action(list)

  command(key, {
    usage: 'revoke <id>',
    description: 'Revoke an API key; it stops working on every node within a second, for good.',
    examples: ['key revoke 019abcde-0000-7000-8000-000000000000'],
  }).action(revoke)
}

function scopeNamed(text: string): Scope {
  const scope = SCOPES.find((each) => each === text)
  if (!scope) throw new WrongUsage(`"${text}" is not a scope; known are ${SCOPES.join(', ')}`)
  return scope
}

interface CreateOptions extends JsonOption {
  company: string
  name: string
  scope?: Scope[]
  domain?: string
  expires?: number
  from?: string[]
}

async function create({
  company: companyText,
  name: text,
  scope,
  domain: domainText,
  expires,
  from,
  json,
}: CreateOptions): Promise<void> {
  const name = text.trim()
  if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name)) {
    throw new WrongUsage(`the name of a key has 1 to ${LONGEST_NAME} characters, and no control characters`)
  }
  const { token, hash } = newToken()
  const { key, accounts } = await withStore(async ({ store, accounts }) => {
    const company = companyNamed(accounts, companyText)
    const domain = domainText === undefined ? null : domainNamed(accounts, domainText)
    if (domain && domain.companyId !== company.id) {
      throw new CommandFailed(
        `${domain.name} is not a domain of ${company.name}; see: postroad domain list --company ${company.id}`,
      )
    }
    const key: ApiKey = {
      id: randomUUIDv7(),
      companyId: company.id,
      name,
      tokenHash: hash,
      scopes: [...new Set<Scope>(scope ?? ['sending', 'reading'])],
      domainId: domain?.id ?? null,
      networks: from ?? [],
      createdAt: Date.now(),
      expiresAt: expires ?? null,
      revokedAt: null,
    }
    await store.addKey(key)
    return { key, accounts }
  })
  if (json) {
    const { id, ...rest } = inJson(accounts, key)
    return printJson({ id, token, ...rest })
  }
  printFields([
    ['Id', key.id],
    ['Token', token],
    ['Company', companyName(accounts, key.companyId)],
    ['Scopes', key.scopes.join(', ')],
    ['Domain', domainOf(accounts, key) ?? 'all of the company'],
    ['From', key.networks.length === 0 ? 'anywhere' : key.networks.join(', ')],
    ['Expires', shownTime(key.expiresAt) ?? 'never'],
  ])
  printLine()
  printLine('Keep the token now: it cannot be shown again.')
}

async function list({ company, json }: JsonOption & { company?: string }): Promise<void> {
  const accounts = await withStore(async (opened) => opened.accounts)
  const owner = companyFilter(accounts, company)
  const keys = accounts.keys.filter(({ companyId }) => owner === undefined || companyId === owner)
  if (json) return printJson(keys.map((key) => inJson(accounts, key)))
  printTable(
    ['ID', 'NAME', 'COMPANY', 'SCOPES', 'DOMAIN', 'FROM', 'CREATED', 'EXPIRES', 'REVOKED'],
    keys.map((key) => [
      key.id,
      key.name,
      companyName(accounts, key.companyId),
      key.scopes.join(','),
      domainOf(accounts, key) ?? 'all',
      key.networks.join(',') || 'anywhere',
      shownTime(key.createdAt),
      expiryShown(key),
      shownTime(key.revokedAt),
    ]),
    'There is no API key yet. Create one: postroad key create --company NAME --name first',
  )
}

async function revoke(id: string, { json }: JsonOption): Promise<void> {
  await withStore(async ({ store, accounts }) => {
    const key = accounts.keys.find((each) => each.id === id)
    if (!key) throw new CommandFailed(`there is no API key with the id "${id}"; see: postroad key list`)
    const revokedAt = Date.now()
    if (!(await store.revokeKey(id, revokedAt)))
      throw new CommandFailed(`the key "${key.name}" was revoked before`)
    if (json) return printJson(inJson(accounts, { ...key, revokedAt }))
    printLine(`Revoked the key ${key.name} (id ${id}).`)
  })
}

function domainOf(accounts: AccountsSnapshot, { domainId }: ApiKey): string | null {
  if (domainId === null) return null
  return accounts.domains.find(({ id }) => id === domainId)?.name ?? domainId
}

function expiryShown({ expiresAt }: ApiKey): string {
  if (expiresAt === null) return 'never'
  return `${shownTime(expiresAt)}${expiresAt <= Date.now() ? ' (over)' : ''}`
}

function inJson(accounts: AccountsSnapshot, key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    company_id: key.companyId,
    scopes: key.scopes,
    domain: domainOf(accounts, key),
    networks: key.networks,
    created_at: jsonTime(key.createdAt),
    expires_at: jsonTime(key.expiresAt),
    revoked_at: jsonTime(key.revokedAt),
  }
}
