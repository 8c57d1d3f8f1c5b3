import { type Command, Option } from 'commander'
import { loadSettings } from '../config/load.ts'
import { ownUrl } from '../config/own-url.ts'
import { companyName } from '../operate/find.ts'
import {
  inviteOperator,
  listPeople,
  makeSignInLink,
  personAddress,
  removePerson,
  setOperator,
} from '../operate/people.ts'
import { isoTime } from '../operate/shapes.ts'
import { invite, removeMember, setRole, showTeam } from '../operate/team.ts'
import type { Operation } from '../operate/verb.ts'
import { signInUrl } from '../people/link.ts'
import { type Person, personName, ROLES, type Role } from '../people/person.ts'
import { command, group, type JsonOption, typed } from './command.ts'
import { CommandFailed, WrongUsage } from './failure.ts'
import { withOperation } from './open.ts'
import { printJson, printLine, printTable, shownTime } from './print.ts'

const WHO = 'ada@example.com'
const addressOf = typed(personAddress)
const roleOption = () => new Option('--role <role>', 'what they may do').choices(ROLES)

export function addUser(program: Command): void {
  const user = group(
    program,
    'user',
    'People who use the console: operators, who see everything, and those of companies.',
    ['user link', `user invite ${WHO} --company Acme --role developer`, 'user list'],
  )

  command(user, {
    usage: 'link',
    description: 'Print a link that signs somebody in to the console, once.',
    details:
      'Without an address it is for the first operator. The link works for an hour. Links begin with POSTROAD_PUBLIC_URL, or ' +
      'else with the address that the service, or the console by itself, listens on.',
    examples: ['user link', `user link ${WHO}`],
  })
    .argument('[address]', 'address or id of the person')
    .action(link)

  command(user, {
    usage: 'list',
    description: 'List the people who use the console, and those who are invited.',
    examples: ['user list', 'user list --company Acme'],
  })
    .option('--company <name or id>', 'only those of this company')
    .action(list)

  command(user, {
    usage: 'invite',
    description:
      'Print a link that brings somebody into a company, or makes an operator; pass it on to them.',
    details:
      'The link works once, within seven days. Roles: an owner also says who belongs to the company; a developer sends, and ' +
      'changes what the company has set up; a viewer only looks.',
    examples: [
      `user invite ${WHO} --company Acme --role owner`,
      `user invite ${WHO} --company Acme --role viewer --json`,
      `user invite ${WHO} --operator`,
    ],
  })
    .argument('<address>', 'their email address, with which they will sign in', addressOf)
    .option('--company <name or id>', 'the company they are to belong to')
    .addOption(roleOption())
    .addOption(new Option('--operator', 'make them an operator').conflicts(['company', 'role']))
    .action(inviteSomebody)

  command(user, {
    usage: 'role',
    description: 'Give somebody another role in a company. It takes effect with their next click.',
    examples: [`user role ${WHO} owner --company Acme`],
  })
    .argument('<address>', 'address or id of the person')
    .argument('<role>', ROLES.join(', '))
    .requiredOption('--company <name or id>', 'the company they belong to')
    .action(changeRole)

  command(user, {
    usage: 'operator',
    description: 'Make somebody who has an account here an operator, who sees and changes everything.',
    details: 'Look at `user list` first: it tells which companies they belong to.',
    examples: [`user operator ${WHO}`, `user operator ${WHO} --end`],
  })
    .argument('<address>', 'address or id of the person')
    .option('--end', 'take that away from them again')
    .action(changeOperator)

  command(user, {
    usage: 'remove',
    description: 'Remove somebody from a company, or for good. It takes effect with their next click.',
    examples: [`user remove ${WHO} --company Acme`, `user remove ${WHO}`],
  })
    .argument('<address>', 'address or id of the person')
    .option('--company <name or id>', 'from this company only; what else they belong to stays')
    .action(remove)
}

/** A link to the console's public URL, or to its own listener if it has one. */
function linkOf(token: string): string {
  const settings = loadSettings()
  const { console, listen } = settings
  if (console === 'same') return signInUrl(ownUrl(settings), token)
  const address = typeof console === 'string' ? listen : console
  return signInUrl(ownUrl({ ...settings, publicUrl: null, listen: address }), token)
}

/** Without a console, links would lead nowhere. */
function requireConsole(): void {
  if (loadSettings().console !== 'off') return
  throw new CommandFailed('the console is switched off; POSTROAD_CONSOLE_LISTEN says where it is served')
}

async function link(person: string | undefined, { json }: JsonOption): Promise<void> {
  requireConsole()
  const made = await withOperation((op) => makeSignInLink(op, { person }))
  const url = linkOf(made.token)
  const { id, address } = made.person
  if (json) return printJson({ id, address, link: url, expires_at: isoTime(made.expiresAt) })
  printLine(`This link signs in ${personName(made.person)}, once, until ${shownTime(made.expiresAt)}:`)
  printLine()
  printLine(`  ${url}`)
}

interface ListedUser {
  id: string
  address: string | null
  name: string
  operator: boolean
  companies: { id: string; name: string; role: Role }[]
  /** Unix ms; set for people who are invited and have not answered. */
  invitedUntil: number | null
}

async function list({ json, company }: JsonOption & { company?: string }): Promise<void> {
  const users = await withOperation((op) => (company === undefined ? everybody(op) : ofCompany(op, company)))
  if (json) {
    const shown = users.map(({ invitedUntil, ...user }) => ({
      ...user,
      invited_until: isoTime(invitedUntil),
    }))
    return printJson(shown)
  }
  printTable(
    ['ID', 'ADDRESS', 'NAME', 'ROLES', 'INVITED UNTIL'],
    users.map(({ id, address, name, operator, companies, invitedUntil }) => [
      ...[id, address, name],
      [...(operator ? ['operator'] : []), ...companies.map((each) => `${each.role} of ${each.name}`)].join(
        ', ',
      ),
      shownTime(invitedUntil),
    ]),
    'There is nobody yet. Begin: postroad user invite ADDRESS --operator',
  )
}

async function everybody(op: Operation): Promise<ListedUser[]> {
  const invitations = await op.store.invitations(null, op.now())
  return [
    ...(await listPeople(op, {})).map((person) => userOf(op, person)),
    ...invitations.map(({ id, address, companyId, role, expiresAt }) => ({
      id,
      address,
      name: '',
      operator: false,
      companies: [{ id: companyId, name: companyName(op, companyId), role }],
      invitedUntil: expiresAt,
    })),
  ]
}

function userOf(op: Operation, { id, address, name, operator, memberships }: Person): ListedUser {
  const companies = memberships.map(({ companyId, role }) => {
    return { id: companyId, name: companyName(op, companyId), role }
  })
  return { id, address, name, operator, companies, invitedUntil: null }
}

async function ofCompany(op: Operation, text: string): Promise<ListedUser[]> {
  const { company, members, invitations } = await showTeam(op, { company: text })
  const own = { operator: false, invitedUntil: null }
  const roleIn = (role: Role) => [{ id: company.id, name: company.name, role }]
  return [
    ...members.map(({ role, ...member }) => ({ ...member, ...own, companies: roleIn(role) })),
    ...invitations.map(({ id, address, role, expiresAt }) => {
      return { id, address, name: '', operator: false, companies: roleIn(role), invitedUntil: expiresAt }
    }),
  ]
}

interface InviteOptions extends JsonOption {
  company?: string
  role?: Role
  operator?: true
}

async function inviteSomebody(
  address: string,
  { json, company, role, operator }: InviteOptions,
): Promise<void> {
  requireConsole()
  if (operator) return await inviteAsOperator(address, json)
  if (company === undefined || role === undefined) {
    throw new WrongUsage('name the company and the role with --company and --role, or say --operator')
  }
  const made = await withOperation((op) => invite(op, { company, address, role }))
  const { invitation } = made
  const url = linkOf(made.token)
  if (json) {
    const { id, expiresAt, companyId } = invitation
    return printJson({ id, address, company_id: companyId, role, link: url, expires_at: isoTime(expiresAt) })
  }
  printLink(`${address} becomes ${role} of ${made.company.name}`, url, invitation.expiresAt)
}

async function inviteAsOperator(address: string, json: true | undefined): Promise<void> {
  const { person, token, expiresAt } = await withOperation((op) => inviteOperator(op, { address }), {
    make: true,
  })
  const url = linkOf(token)
  if (json) return printJson({ id: person.id, address, link: url, expires_at: isoTime(expiresAt) })
  printLink(`${address} is an operator`, url, expiresAt)
}

function printLink(what: string, url: string, expiresAt: number): void {
  printLine(`${what}, with this link. It works once, until ${shownTime(expiresAt)}; pass it on:`)
  printLine()
  printLine(`  ${url}`)
}

async function changeRole(
  person: string,
  text: string,
  { json, company }: JsonOption & { company: string },
): Promise<void> {
  const role = roleOf(text)
  const changed = await withOperation((op) => setRole(op, { company, person, role }))
  const { id, address } = changed.member
  if (json) return printJson({ id, address, company_id: changed.company.id, role })
  printLine(`${personName(changed.member)} is ${role} of ${changed.company.name} now.`)
}

function roleOf(text: string): Role {
  const role = ROLES.find((each) => each === text)
  if (role !== undefined) return role
  throw new WrongUsage(`"${text}" is no role; there are ${ROLES.join(', ')}`)
}

async function changeOperator(
  person: string,
  { json, end = false }: JsonOption & { end?: boolean },
): Promise<void> {
  const changed = await withOperation((op) => setOperator(op, { person, operator: !end }))
  const { id, address, operator } = changed
  if (json) return printJson({ id, address, operator })
  printLine(`${personName(changed)} is ${operator ? 'an operator now' : 'no operator any more'}.`)
}

async function remove(person: string, { json, company }: JsonOption & { company?: string }): Promise<void> {
  const { id, address, name } = await withOperation(async (op) => {
    if (company === undefined) return await removePerson(op, { person })
    return (await removeMember(op, { company, person })).member
  })
  if (json) return printJson({ id, address, removed: true })
  const who = personName({ address, name })
  printLine(company === undefined ? `Removed ${who}.` : `${who} belongs to the company no more.`)
}
