import type { Command } from 'commander'
import { createCompany, listCompanies, showCompany } from '../operate/companies.ts'
import { checkedName } from '../operate/find.ts'
import { companyJson, domainJson, keyJson } from '../operate/shapes.ts'
import { command, group, type JsonOption, typed } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { printFields, printJson, printLine, shownTime } from './print.ts'

export function addCompany(program: Command): void {
  const company = group(
    program,
    'company',
    'Companies: each owns domains, API keys and emails, and sees nothing of the others.',
    ['company create "My Company"', 'company list'],
  )

  command(company, {
    usage: 'create',
    description: 'Create a company.',
    examples: ['company create "My Company"', 'company create Acme --json'],
  })
    .argument(
      '<name>',
      'what people call it',
      typed((text: string) => checkedName('company', text)),
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
    examples: ['company show Acme', 'company show Acme --json'],
  }).action(show)
}

async function create(name: string, { json }: JsonOption): Promise<void> {
  const company = await withOperation((op) => createCompany(op, { name }), { make: true })
  if (json) return printJson(companyJson(company))
  printLine(`Created the company ${company.name} (id ${company.id}).`)
  printLine(`Next: postroad domain add example.com --company ${company.id}`)
}

const list = listing({
  verb: listCompanies,
  json: companyJson,
  titles: ['ID', 'NAME', 'CREATED'],
  row: ({ id, name, createdAt }) => [id, name, shownTime(createdAt)],
  nothing: 'There is no company yet. Create one: postroad company create "My Company"',
})

async function show(text: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const { company, domains, keys } = await showCompany(op, { company: text })
    if (json) {
      const shown = {
        domains: domains.map((domain) => domainJson(op.accounts, domain)),
        keys: keys.map((key) => keyJson(op.accounts, key)),
      }
      return printJson({ ...companyJson(company), ...shown })
    }
    const inUse = keys.filter(({ revokedAt }) => revokedAt === null)
    printFields([
      ['Company', company.name],
      ['Id', company.id],
      ['Created', shownTime(company.createdAt)],
      ['Domains', domains.map(({ name, sending }) => `${name} (${sending})`).join(', ')],
      ['Keys', inUse.map(({ name }) => name).join(', ')],
    ])
  })
}
