/**
 * The house: what stands in src from top to bottom, and what each place imports of those below it. From this list come the rules that Biome
 * holds (biome.layers.json) and the table in docs/architecture.md; with --check only says whether both are up to date.
 */
import { MarkedPage, table } from '../harness/marked-page.ts'
import { keepMade } from './made-files.ts'

export interface Place {
  /** A folder of src, or a file. */
  name: string
  about: string
  /** Places below it, or single files of them; who puts everything together imports what it likes. */
  imports: string[] | 'everything'
  /** Folders of it that know nothing of each other. */
  apart?: string[]
}

/** What is written one after the other. */
const words = (...lines: string[]) => lines.flatMap((line) => line.split(' '))

export const HOUSE: readonly Place[] = [
  {
    name: 'main.ts',
    about: 'the program: sets up V8, then hands over to the command line',
    imports: words('cli'),
  },
  {
    name: 'cli',
    about: 'commands: each parses, calls a verb, and prints',
    imports: words(
      'app.ts operate events/told/types.ts accounts/account.ts accounts/dns-records.ts accounts/verify.ts',
      'email/company-event.ts email/event.ts email/stored-email.ts email/suppression.ts people log.ts config common version.ts',
    ),
  },
  {
    name: 'app.ts',
    about: 'puts the parts together, starts and stops them',
    imports: 'everything',
  },
  {
    name: 'submission',
    about:
      'mail handed in over SMTP (RFC 6409): sessions, logins, transactions; shares admission and words of options with `http`',
    imports: words(
      'http/admission/address-group.ts http/admission/admission.ts http/admission/visit.ts http/advice.ts',
      'http/client-address.ts http/core.ts http/fault.ts http/form/submission.ts http/idempotency.ts',
      'http/reading.ts http/start-error.ts http/target.ts http/tls.ts http/words.ts',
      'people/password-rule.ts intake accounts mail workers config network common',
    ),
  },
  {
    name: 'http',
    about:
      'requests: `json/` and `form/` the dialects, `pages/`, `console/` what its page asks, `admission/` who may have how much of the service at once',
    imports: words(
      'operate intake events store/store.ts people accounts email mail workers loop-monitor.ts config network common',
    ),
    apart: ['json', 'form', 'pages', 'console'],
  },
  {
    name: 'operate',
    about:
      'the verbs: what an operator or a member of a company does, one file a noun, for every way in; authority, errors and JSON shapes once',
    imports: words(
      'queue/pauses.ts delivery/copy-job.ts delivery/delivery.ts delivery/message.ts delivery/prepare.ts',
      'delivery/signing-keys.ts delivery/weight.ts events workers',
      'store/store.ts store/open.ts store/backup.ts store/backup-note.ts store/schema.ts store/transfer/transfer.ts',
      'people accounts email mail dns config/settings.ts config/parse.ts config/own-url.ts config/relay-url.ts network',
      'common/company-places.ts common/logging.ts',
    ),
  },
  {
    name: 'queue',
    about:
      'what is begun when: claims, ready queues, what waits for its path to be known, session limits, closed paths, pauses, the retry schedule, and the recording of results',
    imports: words(
      'intake/handover.ts delivery cluster store/store.ts accounts email metrics.ts',
      'loop-monitor.ts common',
    ),
  },
  {
    name: 'intake',
    about: 'from a submission to a durable email',
    imports: words('store/store.ts accounts mail workers metrics.ts network common'),
  },
  {
    name: 'events',
    about:
      'the log of events as others take it: all that comes, once or under a name; what is searched and counted; `told/` in the words of the dialects, `webhooks/` who is told over HTTP',
    imports: words(
      'store/store.ts store/open.ts store/digest.ts store/email-conditions.ts store/latency.ts',
      'store/subject-words.ts accounts/seal.ts email',
      'mail threads dns network common',
    ),
  },
  {
    name: 'delivery',
    about:
      'one delivery, from its recipients to an answer: `smtp/` the client, `path/` from where to which servers by which policy, `judge/` whose fault an answer is, `route/` the ways out, `thread/` delivery threads, `isolation/` the isolated process',
    imports: words(
      'cluster/sending-right.ts cluster/unrecorded.ts store/store.ts accounts email mail workers',
      'threads dns config network common',
    ),
  },
  {
    name: 'cluster',
    about:
      'the nodes of a database: membership, heartbeats, the right to send, the claim on a name, what is handed over and not recorded, results that come under a lost lease',
    imports: words('store/store.ts metrics.ts common'),
  },
  {
    name: 'store',
    about:
      'the interface `store.ts`; `sqlite/` and `postgres/` behind it; `cold/` the operations that both share; what the rows of both are made into (`*-rows.ts`); `transfer/` from one to the other',
    imports: words('people accounts email mail threads config/settings.ts common'),
  },
  {
    name: 'people',
    about:
      'people of the console: roles, what they prove who they are with, sessions, and what they have changed; pure',
    imports: words('accounts/seal.ts common'),
  },
  {
    name: 'accounts',
    about:
      'companies, sending domains, API keys, sealing of secrets, who may send as whom, routes of their own; how changes of them come to count',
    imports: words('mail network common'),
  },
  {
    name: 'email',
    about:
      'an email: its fields, declared once, its shapes (new, claimed, stored), and what can happen to it',
    imports: words('mail'),
  },
  {
    name: 'mail',
    about:
      'the message itself, pure: `address/`, `header/`, `compose/`, `dkim/`, `text/` (from HTML), `raw/` (ready MIME), `batch/` (recipient variables)',
    imports: [],
  },
  {
    name: 'workers',
    about: 'threads for large work on what strangers wrote: memory limits, deadlines, turns by company',
    imports: words('threads common'),
  },
  {
    name: 'threads',
    about:
      'one worker thread under supervision: started when it is needed, and again after it has ended; collects what large work left',
    imports: words('common'),
  },
  {
    name: 'dns',
    about: 'look-ups with failures told apart',
    imports: [],
  },
  {
    name: 'metrics.ts',
    about: 'what operators measure',
    imports: [],
  },
  {
    name: 'loop-monitor.ts',
    about: 'how long the main thread stalls, and for whom',
    imports: words('common'),
  },
  {
    name: 'log.ts',
    about: 'the log',
    imports: words('config/settings.ts common'),
  },
  {
    name: 'config',
    about: 'the schema of settings, what it makes of environment and files, and how the memory is divided',
    imports: words('network'),
  },
  {
    name: 'network',
    about:
      'IP addresses: ranges of them, and which are public; the one HTTP client for servers that strangers name (`outgoing.ts`); TLS and answers of strangers, read in turns',
    imports: words('common'),
  },
  {
    name: 'common',
    about:
      'small things that several folders share and that know none of them: the clock, log throttling, the one rule by which companies share (`shared-pool.ts`), how they take turns (`company-turns.ts`; at the event loop `loop-turns.ts`) and places (`company-places.ts`), what a terminal may be shown (`visible-text.ts`), octets given back before V8 would (`octets.ts`)',
    imports: [],
  },
  {
    name: 'version.ts',
    about: 'the version of the program',
    imports: [],
  },
]

/** Beside src: what each folder does not import. What tests, benchmarks and chaos runs share lies in harness. */
const TOOLS: Record<string, string[]> = {
  harness: ['test', 'bench', 'chaos', 'fuzz'],
  'test/support': ['bench', 'chaos'],
  bench: ['test', 'chaos'],
  chaos: ['test', 'bench'],
  fuzz: ['test', 'bench', 'chaos'],
}

/** Code that runs in the service and in the page of the console: it imports nothing. */
export const PAGE_CODE = 'operate/csv-record.ts'
/** What the page of the console takes of src: that, and of shapes the types alone (a test says so). */
const PAGE_IMPORTS = [...words('http/console/contract/** email/** people/**'), PAGE_CODE]

const isFile = (name: string) => name.endsWith('.ts')

/** The part of Biome's configuration that holds the directions and refuses circles, those of types included. */
function layersConfig(): object {
  const overrides = HOUSE.flatMap((place) => [
    restricted(isFile(place.name) ? `src/${place.name}` : `src/${place.name}/**`, refused(place)),
    // A later entry takes the place of an earlier one: it holds the same and more.
    ...(place.apart ?? []).map((folder) =>
      restricted(`src/${place.name}/${folder}/**`, [...refused(place), ...strangersOf(place, folder)]),
    ),
  ])
  const tools = Object.entries(TOOLS).map(([folder, strangers]) => {
    const group = strangers.map((stranger) => `../**/${stranger}/**`)
    return restricted(`${folder}/**`, [
      { group, message: `${folder} does not import of these: see scripts/house.ts.` },
    ])
  })
  const page = restricted('console/**', [
    {
      group: ['../**/src/**', ...PAGE_IMPORTS.map((each) => `!../**/src/${each}`)],
      message: 'The page imports shapes of src, and little else: see scripts/house.ts.',
    },
  ])
  // Biome looks for circles only where the whole project is told to have none. Tests have some of types.
  const circles = (setting: unknown) => ({ linter: { rules: { suspicious: { noImportCycles: setting } } } })
  const tests = { includes: ['test/**', '!test/support/**'], ...circles('off') }
  return {
    ...circles({ level: 'error', options: { ignoreTypes: false } }),
    overrides: [tests, ...tools, page, ...overrides],
  }
}

function restricted(files: string, patterns: object[]): object {
  const rules = { style: { noRestrictedImports: { level: 'error', options: { patterns } } } }
  return { includes: [files], linter: { rules } }
}

function strangersOf({ name, apart = [] }: Place, folder: string): object[] {
  const strangers = apart.filter((other) => other !== folder)
  return strangers.map((other) => ({
    group: [`../**/${other}/**`],
    message: `${name}/${folder} knows nothing of ${name}/${other}: what both need lies in ${name}. See scripts/house.ts.`,
  }))
}

/** One pattern for each other place of which it does not import everything. */
function refused({ name, imports }: Place): object[] {
  if (imports === 'everything') return []
  // What stands in src itself names the others as its neighbours.
  const way = isFile(name) ? './' : '../**/'
  const others = HOUSE.filter((other) => other.name !== name && !imports.includes(other.name))
  const page = {
    group: ['../**/console/src/**'],
    message: 'The page asks the service, and not the other way round.',
  }
  const refusals = others.map((other) => {
    const files = imports.filter((entry) => entry.startsWith(`${other.name}/`))
    return {
      group: [
        isFile(other.name) ? `${way}${other.name}` : `${way}${other.name}/**`,
        ...files.map((file) => `!${way}${file}`),
      ],
      message: `${name} does not import ${files.length > 0 ? 'this ' : ''}of ${other.name}: see scripts/house.ts.`,
    }
  })
  return [page, ...refusals]
}

/** The table of docs/architecture.md. */
function houseTable(): string {
  const rows = HOUSE.map(({ name, about, imports }) => {
    const listed = imports === 'everything' ? imports : imports.map((entry) => `\`${entry}\``).join(', ')
    return [`\`src/${name}\``, about, listed || 'nothing']
  })
  return table(['Place', 'Subject', 'Imports'], rows)
}

/** The page that holds the table. */
export const housePage = new MarkedPage('docs/architecture.md', 'scripts/house.ts', { house: houseTable })

if (import.meta.main) {
  keepMade('scripts/house.ts', {
    'biome.layers.json': `${JSON.stringify(layersConfig(), null, 2)}\n`,
    'docs/architecture.md': housePage.madeAnew(housePage.read()),
  })
}
