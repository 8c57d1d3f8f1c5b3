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
import { isoTime } from '../operate/shapes/time.ts'
import { invite, removeMember, setRole, showTeam } from '../operate/team.ts'
import type { Operation } from '../operate/verb.ts'
import { signInUrl } from '../people/link.ts'
import { type Person, personName, ROLES, type Role } from '../people/person.ts'
import { command, group, type JsonOption, parser } from './command.ts'
import { CommandFailure, WrongUsage } from './failure.ts'
import { withOperation } from './open.ts'
import { formatTime, printJson, printLine, printTable } from './print.ts'

const WHO = 'ada@example.com'
const addressOf = parser(personAddress)
const roleOption = () => new Option('--role <role>', 'what they may do there').choices(ROLES)

export function addUser(program: Command): void {
  const user = group(
    program,
    'user',
    'People who use the console: operators, who see everything, and members of companies.',
    ['user link', `user invite ${WHO} --company Acme --role developer`, 'user list'],
  )

  command(user, {
    usage: 'link',
    description: 'Print a link that signs a person in to the console, once.',
    details:
      'Without an address, the link is for the first operator. It works for an hour. Links begin with POSTROAD_PUBLIC_URL, or ' +
      'else with the address that the service, or the console on its own address, listens on.',
    examples: ['user link', `user link ${WHO}`],
  })
    .argument('[address]', 'address or id of the person')
    .action(link)

  command(user, {
    usage: 'list',
    description: 'List the people who use the console or are invited.',
    examples: ['user list', 'user list --company Acme'],
  })
    .option('--company <name or id>', 'only those of this company')
    .action(list)

  command(user, {
    usage: 'invite',
    description:
      'Print an invitation link that adds a person to a company or makes them an operator. Pass it on to them.',
    details:
      'The link works once, within seven days. Roles: an owner also manages the members of the company; a developer sends mail and ' +
      'changes the settings of the company; a viewer can only read.',
    examples: [
      `user invite ${WHO} --company Acme --role owner`,
      `user invite ${WHO} --company Acme --role viewer --json`,
      `user invite ${WHO} --operator`,
    ],
  })
    .argument('<address>', 'the email address they will sign in with', addressOf)
    .option('--company <name or id>', 'the company to add them to')
    .addOption(roleOption())
    .addOption(new Option('--operator', 'make them an operator').conflicts(['company', 'role']))
    .action(inviteSomebody)

  command(user, {
    usage: 'role',
    description: 'Change the role of a person in a company. It takes effect with their next click.',
    examples: [`user role ${WHO} owner --company Acme`],
  })
    .argument('<address>', 'address or id of the person')
    .argument('<role>', ROLES.join(', '))
    .requiredOption('--company <name or id>', 'the company they belong to')
    .action(changeRole)

  command(user, {
    usage: 'operator',
    description: 'Make a person with an account an operator, who can see and change everything.',
    details: 'Check `user list` first: it shows which companies they belong to.',
    examples: [`user operator ${WHO}`, `user operator ${WHO} --end`],
  })
    .argument('<address>', 'address or id of the person')
    .option('--end', 'make them an ordinary user again')
    .action(changeOperator)

  command(user, {
    usage: 'remove',
    description:
      'Remove a person from a company, or delete their account. It takes effect with their next click.',
    examples: [`user remove ${WHO} --company Acme`, `user remove ${WHO}`],
  })
    .argument('<address>', 'address or id of the person')
    .option('--company <name or id>', 'from this company only; they stay in their other companies')
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
  throw new CommandFailure('the console is off; POSTROAD_CONSOLE_LISTEN sets where it is served')
}

async function link(person: string | undefined, { json }: JsonOption): Promise<void> {
  requireConsole()
  const made = await withOperation((op) => makeSignInLink(op, { person }))
  const url = linkOf(made.token)
  const { id, address } = made.person
  if (json) return printJson({ id, address, link: url, expires_at: isoTime(made.expiresAt) })
  printLine(`This link signs in ${personName(made.person)}, once, until ${formatTime(made.expiresAt)}:`)
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
      formatTime(invitedUntil),
    ]),
    'There are no people yet. Invite the first: postroad user invite ADDRESS --operator',
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
  const valid = invitations.filter(({ expiresAt }) => expiresAt > op.now())
  return [
    ...members.map(({ role, ...member }) => ({ ...member, ...own, companies: roleIn(role) })),
    ...valid.map(({ id, address, role, expiresAt }) => {
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
    throw new WrongUsage('give --company and --role, or --operator')
  }
  const made = await withOperation((op) => invite(op, { company, address, role }))
  const { invitation } = made
  const url = linkOf(made.token)
  if (json) {
    const { id, expiresAt, companyId } = invitation
    return printJson({ id, address, company_id: companyId, role, link: url, expires_at: isoTime(expiresAt) })
  }
  printLink(`This link makes ${address} ${role} of ${made.company.name}`, url, invitation.expiresAt)
}

async function inviteAsOperator(address: string, json: true | undefined): Promise<void> {
  const { person, token, expiresAt } = await withOperation((op) => inviteOperator(op, { address }), {
    make: true,
  })
  const url = linkOf(token)
  if (json) return printJson({ id: person.id, address, link: url, expires_at: isoTime(expiresAt) })
  printLink(`This link makes ${address} an operator`, url, expiresAt)
}

function printLink(what: string, url: string, expiresAt: number): void {
  printLine(`${what}. It works once, until ${formatTime(expiresAt)}; pass it on:`)
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
  printLine(`${personName(changed.member)} is now ${role} of ${changed.company.name}.`)
}

function roleOf(text: string): Role {
  const role = ROLES.find((each) => each === text)
  if (role !== undefined) return role
  throw new WrongUsage(`"${text}" is not a role; the roles are ${ROLES.join(', ')}`)
}

async function changeOperator(
  person: string,
  { json, end = false }: JsonOption & { end?: boolean },
): Promise<void> {
  const changed = await withOperation((op) => setOperator(op, { person, operator: !end }))
  const { id, address, operator } = changed
  if (json) return printJson({ id, address, operator })
  printLine(`${personName(changed)} is ${operator ? 'now an operator' : 'no longer an operator'}.`)
}

async function remove(person: string, { json, company }: JsonOption & { company?: string }): Promise<void> {
  const { id, address, name } = await withOperation(async (op) => {
    if (company === undefined) return await removePerson(op, { person })
    return (await removeMember(op, { company, person })).member
  })
  if (json) return printJson({ id, address, removed: true })
  const who = personName({ address, name })
  printLine(company === undefined ? `Removed ${who}.` : `${who} no longer belongs to the company.`)
}
