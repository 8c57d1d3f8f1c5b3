import { type Command, InvalidArgumentError } from 'commander'
import {
  type Company,
  type CompanyLimits,
  type LimitedResource,
  shownName,
  USUAL_MAX,
} from '../accounts/account.ts'
import {
  createCompany,
  limitCompany,
  listCompanies,
  renameCompany,
  showCompany,
} from '../operate/companies.ts'
import { retentionWords, setContentRetention } from '../operate/content-retention.ts'
import { checkedName } from '../operate/find.ts'
import { companyJson } from '../operate/shapes/company.ts'
import { domainJson } from '../operate/shapes/domain.ts'
import { keyJson } from '../operate/shapes/key.ts'
import { rotateSigningKey, showSigningKey } from '../operate/webhook-secrets.ts'
import { command, group, type JsonOption, parser } from './command.ts'
import { WrongUsage } from './failure.ts'
import { shellWord } from './hint.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printFields, printJson, printLine } from './print.ts'
import { retentionOf } from './when.ts'

const OWNED = Object.keys(USUAL_MAX) as LimitedResource[]
const USUAL = OWNED.map((name) => `${USUAL_MAX[name]} ${name}`).join(', ')
const LIMIT_OPTIONS = ['rate', 'daily', 'monthly', ...OWNED].map((name) => `--${name}`).join(', ')

export function addCompany(program: Command): void {
  const company = group(
    program,
    'company',
    'Companies: each has its own domains, API keys and emails, and cannot see those of other companies.',
    ['company create "My Company"', 'company list'],
  )

  command(company, {
    usage: 'create',
    description: 'Create a company.',
    examples: ['company create "My Company"', 'company create Acme --json'],
  })
    .argument(
      '<name>',
      'the display name',
      parser((text: string) => checkedName('company', text)),
    )
    .action(create)

  command(company, {
    usage: 'list',
    description: 'List all companies.',
    examples: ['company list'],
  }).action(list)

  command(company, {
    usage: 'show <company>',
    description: 'Show a company, by name or id, with its domains and keys.',
    examples: ['company show Acme', 'company show Acme --json', 'company show Acme --signing-key'],
  })
    .option('--signing-key', 'print only the key that signs its webhooks of the form dialect')
    .action(show)

  command(company, {
    usage: 'rotate-signing-key <company>',
    description: 'Replace the key that signs webhooks of the form dialect.',
    details:
      'Receivers reject new events until you give them the new key, because the form dialect has only one signature per event.',
    examples: ['company rotate-signing-key Acme'],
  }).action(rotate)

  command(company, {
    usage: 'update <company>',
    description: 'Rename a company, or change how long the content of its finished emails is kept.',
    details:
      'Commands and the people of the company see the new name. In the console, its owners can choose a display name of their own.\n\n' +
      '--content-retention takes a duration such as 7d, or none for the value of POSTROAD_RETENTION_CONTENT. A longer duration than that ' +
      'setting has no effect. A domain can have its own duration: the shorter of the two applies. Recipients, events and dialogues ' +
      'are not removed.',
    examples: [
      'company update Acme --name "Acme Ltd"',
      'company update Acme --content-retention 7d',
      'company update Acme --content-retention none',
    ],
  })
    .option(
      '--name <name>',
      'the new display name',
      parser((text: string) => checkedName('company', text)),
    )
    .option('--content-retention <duration>', 'how long bodies and attachments are kept', retentionOf)
    .action(update)

  command(company, {
    usage: 'limit <company>',
    description: 'Limit how much a company may send, and how many domains, keys and webhooks it may have.',
    details:
      `Limits that you do not name stay the same. "none" removes a limit, or restores the default (${USUAL}). ` +
      'Days and months are in UTC. A quota counts every accepted recipient from the time it is set; a message ' +
      'that would exceed it is refused as a whole. Revoked keys do not count. Every node applies the change ' +
      'within a second.',
    examples: [
      'company limit Acme --daily 10000 --monthly 200000',
      'company limit Acme --rate 20 --daily none',
      'company limit Acme --domains 5000',
    ],
  })
    .option('--rate <number>', 'requests per second, all its keys together', limitOf)
    .option('--daily <number>', 'recipients per day', limitOf)
    .option('--monthly <number>', 'recipients per month', limitOf)
    .option('--domains <number>', 'sending domains', limitOf)
    .option('--keys <number>', 'API keys and SMTP credentials in use', limitOf)
    .option('--webhooks <number>', 'webhooks', limitOf)
    .action(limit)
}

async function create(name: string, { json }: JsonOption): Promise<void> {
  const company = await withOperation((op) => createCompany(op, { name }), { make: true })
  if (json) return printJson(companyJson(company))
  printLine(`Created the company ${company.name} (id ${company.id}).`)
  printLine(`Next: postroad domain add example.com --company ${shellWord(company.name)}`)
}

const list = listing({
  verb: listCompanies,
  json: companyJson,
  titles: ['ID', 'NAME', 'CREATED'],
  row: ({ id, name, createdAt }) => [id, name, formatTime(createdAt)],
  nothing: 'There is no company yet. Create one: postroad company create "My Company"',
})

interface ShowOptions extends JsonOption {
  signingKey?: boolean
}

async function show(text: string, { json, signingKey }: ShowOptions): Promise<void> {
  await withOperation(async (op) => {
    if (signingKey) return printSigningKey(await showSigningKey(op, { company: text }), json)
    const { company, domains, keys, used } = await showCompany(op, { company: text })
    if (json) {
      const shown = {
        domains: domains.map((domain) => domainJson(op, domain)),
        keys: keys.map((key) => keyJson(op.accounts, key)),
      }
      return printJson({ ...companyJson(company), used, ...shown })
    }
    const inUse = keys.filter(({ revokedAt }) => revokedAt === null)
    printFields([
      ['Company', company.name],
      ['Its people call it', shownName(company)],
      ['ID', company.id],
      ['Created', formatTime(company.createdAt)],
      ...limitFields(company.limits, used),
      ['Content is kept', retentionWords(company.contentRetention ?? null)],
      ['Domains', domains.map(({ name, sending }) => `${name} (${sending})`).join(', ')],
      ['Keys', inUse.map(({ name }) => name).join(', ')],
    ])
  })
}

async function rotate(text: string, { json }: JsonOption): Promise<void> {
  printSigningKey(await withOperation((op) => rotateSigningKey(op, { company: text })), json)
}

function printSigningKey({ company, key }: { company: Company; key: string }, json?: boolean): void {
  if (json) printJson({ ...companyJson(company), signing_key: key })
  else printLine(key)
}

interface UpdateOptions extends JsonOption {
  name?: string
  contentRetention?: number | 'none'
}

async function update(text: string, { json, name, contentRetention }: UpdateOptions): Promise<void> {
  if (name === undefined && contentRetention === undefined)
    throw new WrongUsage('name a change: --name, --content-retention')
  const kept = contentRetention === 'none' ? null : contentRetention
  // The name first, because it may be taken: then nothing has changed.
  const renamed =
    name === undefined
      ? null
      : (await withOperation((op) => renameCompany(op, { company: text, name }))).company
  const company =
    kept === undefined
      ? renamed!
      : await withOperation((op) =>
          setContentRetention(op, { company: renamed?.id ?? text, contentRetention: kept }),
        )
  if (json) return printJson(companyJson(company))
  if (name !== undefined) printLine(`The company ${text} is now called ${company.name}.`)
  if (kept !== undefined)
    printLine(`Content of ${company.name}’s finished emails is kept: ${retentionWords(kept)}.`)
}

type LimitOptions = JsonOption & { [Name in keyof CompanyLimits]?: number | 'none' }

async function limit(text: string, { json, ...given }: LimitOptions): Promise<void> {
  const named = Object.entries(given)
  const limits = Object.fromEntries(named.map(([name, value]) => [name, value === 'none' ? null : value]))
  if (named.length === 0) throw new WrongUsage(`name a limit: ${LIMIT_OPTIONS}`)
  const company = await withOperation((op) => limitCompany(op, { company: text, ...limits }))
  if (json) return printJson(companyJson(company))
  printFields([['Company', company.name], ...limitFields(company.limits)])
}

/** A whole number, or `none`, which stays a word here: commander treats null as an absent value. */
function limitOf(text: string): number | 'none' {
  if (text === 'none') return text
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of at least 1, or none.')
}

function limitFields(
  { rate, daily, monthly, ...owned }: CompanyLimits,
  used?: { daily: number; monthly: number },
): [string, string][] {
  const shown = (limit: number | null, what: string, soFar?: number) => {
    if (limit === null) return 'none'
    return `${limit} ${what}${soFar === undefined ? '' : ` (${soFar} so far)`}`
  }
  return [
    ['Rate', shown(rate, 'requests per second')],
    ['Daily quota', shown(daily, 'recipients', used?.daily)],
    ['Monthly quota', shown(monthly, 'recipients', used?.monthly)],
    ['May have', OWNED.map((name) => `${owned[name] ?? USUAL_MAX[name]} ${name}`).join(', ')],
  ]
}
