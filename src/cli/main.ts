/** The command line: one file for each command, and shared code for calling, printing, and failing. */
import { Command, CommanderError } from 'commander'
import { version } from '../version.ts'
import { helpText, refuseUnknown } from './command.ts'
import { explain, isWrongUsage, usageHint } from './failure.ts'
import { printError, printText } from './print.ts'

const ABOUT =
  'Commands work on the database that POSTROAD_DATABASE_URL names (./data/postroad.db if it is not set), whether the service ' +
  'is running or not. Each has --help with examples, and --json for scripts.\n\n' +
  'Exit codes: 0 success; 1 failure, and stderr says why and what to do; 2 wrong usage.'

const FIRST_STEPS = [
  'serve',
  'company create "My Company"',
  'domain add example.com --company "My Company"',
  'domain verify example.com',
  'key create --company "My Company" --name first',
  'email list',
]

type AddCommand = (program: Command) => void

const maintenance = async () => (await import('./maintenance.ts')).addMaintenance

/** The commands in the order of the help. Each is loaded when it runs. */
const COMMANDS: Record<string, () => Promise<AddCommand>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  company: async () => (await import('./company.ts')).addCompany,
  domain: async () => (await import('./domain.ts')).addDomainCommands,
  key: async () => (await import('./key.ts')).addKey,
  user: async () => (await import('./user.ts')).addUser,
  email: async () => (await import('./email.ts')).addEmail,
  events: async () => (await import('./events.ts')).addEvents,
  request: async () => (await import('./request.ts')).addRequest,
  queue: async () => (await import('./queue.ts')).addQueue,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  explain: async () => (await import('./explain.ts')).addExplain,
  route: async () => (await import('./route.ts')).addRoute,
  pool: async () => (await import('./pool.ts')).addPool,
  site: async () => (await import('./site.ts')).addSite,
  bounce: async () => (await import('./bounce.ts')).addBounce,
  dmarc: async () => (await import('./dmarc.ts')).addDmarc,
  'tls-report': async () => (await import('./tls-report.ts')).addTlsReport,
  suppression: async () => (await import('./suppression.ts')).addSuppressionCommands,
  webhook: async () => (await import('./webhook.ts')).addWebhookCommands,
  listen: async () => (await import('./listen.ts')).addListen,
  node: async () => (await import('./node.ts')).addNode,
  backup: maintenance,
  migrate: maintenance,
  'migrate-data': async () => (await import('./migrate-data.ts')).addMigrateData,
  settings: async () => (await import('./settings.ts')).addSettings,
}

const USAGE = 2
const FAILURE = 1

/** Runs one command and sets the exit code: 0, 1 (failure) or 2 (usage). Never rejects. */
export async function run(given: string[]): Promise<void> {
  // `help queue` is typed as often as `queue --help`.
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The service keeps running and delivering mail even if its output cannot be written, such as to a closed pipe or a
    // full disk.
    if (args[0] === 'serve') return
    if (error.code !== 'EPIPE') throw error
    // `postroad email list | head` closes the pipe when it has enough, which is not a failure.
    process.exit(0)
  })
  const program: Command = new Command('postroad')
    .description(
      'Self-hosted outbound email: accepts messages over HTTP, stores them durably, signs and delivers them.',
    )
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    // Options after a command belong to that command, even if it has subcommands.
    .enablePositionalOptions()
    // Wraps descriptions even beside long command names.
    .configureHelp({ minWidthToWrap: 20 })
    .showHelpAfterError('Run the same command with --help to see its options.')
    // All errors begin with `postroad:`; commander writes `error:`.
    .configureOutput({
      writeOut: printText,
      writeErr: printError,
      outputError: (text) => printError(readable(text)),
    })
    .addHelpText('after', (context) =>
      context.command === program ? helpText(ABOUT, FIRST_STEPS, false) : '',
    )
    // Commander prints help before it checks whether the command exists.
    .addHelpText('beforeAll', ({ command }) => refuseUnknown(command))
    .exitOverride()
  for (const add of await commandsFor(args)) add(program)

  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed its message; help and version come here with exit code 0.
      process.exitCode = error.exitCode === 0 ? 0 : USAGE
      printError(usageHint(error))
      return
    }
    printError(`postroad: ${inLine(explain(error))}\n`)
    process.exitCode = isWrongUsage(error) ? USAGE : FAILURE
  }
}

/** Commander's own words for a malformed argument name its source code. */
function readable(text: string): string {
  return text
    .replace(/^error: /, 'postroad: ')
    .replace(/command-argument value '(.*)' is invalid for argument '(.*)'\. /s, '"$1" cannot be <$2>. ')
}

/** Errors are clauses after `postroad:`. A name that begins with a capital, such as a setting's, keeps it. */
function inLine(text: string): string {
  return text.replace(/^(The|A|An|This|There|No) /, (word) => word.toLowerCase())
}

/**
 * The command that the first word names; all of them for help and for a wrong word, which is answered with their names.
 */
async function commandsFor([name = '']: string[]): Promise<AddCommand[]> {
  const named = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]!] : new Set(Object.values(COMMANDS))
  return await Promise.all([...named].map((load) => load()))
}
