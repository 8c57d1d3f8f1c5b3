import type { Command } from 'commander'
import { createCompany, listCompanies } from '../operate/companies.ts'
import { checkedName } from '../operate/names.ts'
import { companyJson } from '../operate/shapes.ts'
import { command, group, type JsonOption, typed } from './command.ts'
import { withOperation } from './open.ts'
import { printJson, printLine, printTable, shownTime } from './print.ts'

export function addCompany(program: Command): void {
  const company = group(
    program,
    'company',
    'Companies: each owns domains, API keys and emails, and sees nothing of the others.',
  )

  command(company, {
    usage: 'create',
    description: 'Create a company.',
    examples: ['company create "My Company"', 'company create Acme --json'],
  })
    .argument(
      '<name>',
      'what people call it',
      typed((text) => checkedName('company', text)),
    )
    .action(create)

  command(company, {
    usage: 'list',
    description: 'List all companies.',
    examples: ['company list'],
  }).action(list)
}

async function create(name: string, { json }: JsonOption): Promise<void> {
  const company = await withOperation((op) => createCompany(op, { name }), { make: true })
  if (json) return printJson(companyJson(company))
  printLine(`Created the company ${company.name} (id ${company.id}).`)
  printLine(`Next: postroad domain add example.com --company ${company.id}`)
}

async function list({ json }: JsonOption): Promise<void> {
  const companies = await withOperation((op) => listCompanies(op, {}))
  if (json) return printJson(companies.map(companyJson))
  printTable(
    ['ID', 'NAME', 'CREATED'],
    companies.map(({ id, name, createdAt }) => [id, name, shownTime(createdAt)]),
    'There is no company yet. Create one: postroad company create "My Company"',
  )
}
