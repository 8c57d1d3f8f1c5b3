import { randomUUIDv7 } from 'node:crypto'
import type { Command } from 'commander'
import type { Company } from '../accounts/account.ts'
import { command, group, type JsonOption } from './command.ts'
import { WrongUsage } from './failure.ts'
import { withStore } from './open.ts'
import { jsonTime, printJson, printLine, printTable, shownTime } from './print.ts'

const LONGEST_NAME = 200

export function addCompany(program: Command): void {
  const company = group(
    program,
    'company',
    'Companies: each owns domains, API keys and emails, and sees nothing of the others.',
  )

  command(company, {
    usage: 'create <name>',
    description: 'Create a company.',
    examples: ['company create "My Company"', 'company create Acme --json'],
  }).action(create)

  command(company, {
    usage: 'list',
    description: 'List all companies.',
    examples: ['company list'],
  }).action(list)
}

async function create(text: string, { json }: JsonOption): Promise<void> {
  const name = text.trim()
  if (name === '') throw new WrongUsage('the name of a company must not be empty')
  if (name.length > LONGEST_NAME)
    throw new WrongUsage(`the name of a company has at most ${LONGEST_NAME} characters`)
  if (/\p{Cc}/u.test(name)) throw new WrongUsage('the name of a company must not hold control characters')
  const company: Company = { id: randomUUIDv7(), name, createdAt: Date.now() }
  await withStore(({ store }) => store.addCompany(company), { make: true })
  if (json) return printJson(inJson(company))
  printLine(`Created the company ${name} (id ${company.id}).`)
  printLine(`Next: postroad domain add example.com --company ${company.id}`)
}

async function list({ json }: JsonOption): Promise<void> {
  const { companies } = await withStore(async ({ accounts }) => accounts)
  if (json) return printJson(companies.map(inJson))
  printTable(
    ['ID', 'NAME', 'CREATED'],
    companies.map(({ id, name, createdAt }) => [id, name, shownTime(createdAt)]),
    'There is no company yet. Create one: postroad company create "My Company"',
  )
}

function inJson({ id, name, createdAt }: Company) {
  return { id, name, created_at: jsonTime(createdAt) }
}
