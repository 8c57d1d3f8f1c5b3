import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Company } from '../accounts/account.ts'
import { loadSettings } from '../config/load.ts'
import { listRoutes, type RouteOwner, removeRoute, setRoute } from '../operate/routes.ts'
import { routeJson } from '../operate/shapes/route.ts'
import { command, group, type JsonOption } from './command.ts'
import { CAPTURES } from './delivery-advice.ts'
import { WrongUsage } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printJson, printLine } from './print.ts'

export function addRoute(program: Command): void {
  const route = group(
    program,
    'route',
    'Routes: relays for the mail of one domain or company, in place of POSTROAD_DELIVERY.',
    [
      'route list',
      'route set smtp://user@relay.example.com:587 --domain example.com --password-stdin < password.txt',
    ],
  )
  const owned = (parent: Command) =>
    parent
      .option('--domain <domain or id>', 'the mail of this sending domain')
      .option(
        '--company <name or id>',
        'the mail of all domains of this company without a route of their own',
      )

  owned(
    command(route, {
      usage: 'set <url>',
      description: 'Send the mail of a domain or a company through its own relay.',
      details:
        'A route applies to the domain that mail is sent from, not to the domains of its recipients. An existing route is replaced.\n\n' +
        'The URL is written as in POSTROAD_DELIVERY: smtp://user:password@host:587, with ?tls= and ?auth=. Anyone on this machine can ' +
        'see the arguments of a command: pass the password on standard input or in the environment instead. It is stored encrypted.\n\n' +
        'Every node applies the route within a second; waiting mail takes it at its next attempt. While POSTROAD_DELIVERY is ' +
        '"capture", its mail is captured all the same.',
      examples: [
        'route set smtp://relay.example.com:587?tls=verified --company Acme',
        'route set smtp://user@relay.example.com:587 --domain example.com --password-stdin < password.txt',
        'route set smtps://user@relay.example.com --domain example.com --password-env RELAY_PASSWORD',
      ],
    })
      .option('--password-stdin', 'read the password from standard input')
      .option('--password-env <name>', 'read the password from this environment variable'),
  ).action(set)

  command(route, {
    usage: 'list',
    description: 'List the routes, without their passwords.',
    examples: ['route list', 'route list --company Acme --json'],
  })
    .option('--company <name or id>', 'only those of this company and its domains')
    .action(list)

  owned(
    command(route, {
      usage: 'remove',
      description: 'Remove a route: the mail of the domain or company is then sent like all other mail.',
      examples: ['route remove --domain example.com', 'route remove --company Acme'],
    }),
  ).action(remove)
}

interface SetOptions extends RouteOwner, JsonOption {
  passwordStdin?: true
  passwordEnv?: string
}

async function set(url: string, { json, passwordStdin, passwordEnv, ...owner }: SetOptions): Promise<void> {
  requireOne(owner)
  const password = await passwordFrom(passwordStdin === true, passwordEnv)
  const set = await withOperation((op) => setRoute(op, { ...owner, url, password }))
  if (json) return printJson(routeJson(set))
  printLine(`Mail of ${set.domain?.name ?? set.company.name} goes through ${set.route.url}.`)
  if (loadSettings().delivery.kind === 'capture') printLine(CAPTURES)
  printNextAttempt(set.company)
}

/** The password without the line end that an editor or `echo` adds. */
async function passwordFrom(stdin: boolean, variable: string | undefined): Promise<string | undefined> {
  if (stdin && variable !== undefined)
    throw new WrongUsage('give either --password-stdin or --password-env, not both')
  if (stdin) return (await text(process.stdin)).replace(/\r?\n$/, '')
  if (variable === undefined) return undefined
  const value = process.env[variable]
  if (value === undefined || value === '')
    throw new WrongUsage(`the environment variable ${variable} is not set`)
  return value
}

const list = listing({
  verb: listRoutes,
  json: routeJson,
  titles: ['COMPANY', 'DOMAIN', 'ROUTE', 'LOGIN', 'SINCE'],
  row: ({ company, domain, route }) => [
    company.name,
    domain?.name ?? 'all others',
    route.url,
    route.sealed === null ? 'no' : 'yes',
    formatTime(route.createdAt),
  ],
  nothing: 'There are no routes: all mail is sent as POSTROAD_DELIVERY says.',
})

async function remove({ json, ...owner }: RouteOwner & JsonOption): Promise<void> {
  requireOne(owner)
  const { company, domain } = await withOperation((op) => removeRoute(op, owner))
  if (json) return printJson({ company_id: company.id, domain: domain?.name ?? null, removed: true })
  printLine(`Removed the route of ${domain?.name ?? company.name}.`)
  printNextAttempt(company)
}

function printNextAttempt({ id }: Company): void {
  printLine(`Waiting mail follows at its next attempt; to try it now: postroad queue retry --company ${id}`)
}

function requireOne({ company, domain }: RouteOwner): void {
  if ((company === undefined) === (domain === undefined))
    throw new WrongUsage('give either --domain or --company')
}
