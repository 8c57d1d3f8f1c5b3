/**
 * The house: the folders of src from top to bottom. Each may import what stands below it, and nobody beside it. From this list come the rules
 * that Biome holds (biome.layers.json) and the table in docs/architecture.md; with --check only says whether both are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Place {
  /** A folder of src, or a file. */
  name: string
  about: string
  /** It imports these only, though others stand below it. */
  only?: string[]
  /** What others may import of it; the rest of it is its own. */
  door?: string[]
}

/** One line imports nothing of itself but within each place. */
export const HOUSE: readonly Place[][] = [
  [{ name: 'main.ts', about: 'the program: sets up V8, then hands over to the command line' }],
  [{ name: 'cli', about: 'commands: parse, act, print', door: ['main.ts'] }],
  [{ name: 'app.ts', about: 'puts the parts together, starts and stops them' }],
  [
    {
      name: 'http',
      about:
        'requests: `json/` and `form/` the dialects, `pages/`, `admission/` who may have how much of the service at once',
    },
  ],
  [{ name: 'operate', about: 'what an operator does, for every way in: the first start (more to come)' }],
  [
    {
      name: 'queue',
      about:
        'what is begun when: claims, ready queues, session limits, closed paths, pauses, the retry schedule, and the recording of results',
    },
  ],
  [{ name: 'intake', about: 'from a submission to a durable email' }],
  [
    {
      name: 'delivery',
      about:
        'one delivery, from its recipients to an answer: `smtp/` the client, `judge/` whose fault an answer is, `route/` the ways out, `thread/` delivery threads, `isolation/` the isolated process',
    },
  ],
  [
    {
      name: 'cluster',
      about:
        'the nodes of a database: membership, heartbeats, the right to send, results that come under a lost lease',
    },
  ],
  [
    {
      name: 'store',
      about:
        'the interface `store.ts`; `sqlite/` and `postgres/` behind it; what the rows of both are made into (`*-rows.ts`); `transfer/` from one to the other',
      door: ['store.ts', 'open.ts', 'retention.ts', 'backup.ts', 'schema.ts', 'transfer/transfer.ts'],
    },
  ],
  [
    {
      name: 'accounts',
      about:
        'companies, sending domains, API keys, sealing of secrets, who may send as whom; how changes of them come to count',
    },
  ],
  [
    {
      name: 'email',
      about: 'the shapes of an email (new, claimed, stored) and what can happen to it',
      only: ['mail'],
    },
  ],
  [
    {
      name: 'mail',
      about:
        'the message itself, pure: `address/`, `header/`, `compose/`, `dkim/`, `text/` (from HTML), `raw/` (ready MIME), `batch/` (recipient variables)',
      only: [],
    },
  ],
  [
    {
      name: 'workers',
      about: 'threads for large work on what strangers wrote: memory limits, deadlines, turns by company',
    },
    { name: 'dns', about: 'look-ups with failures told apart' },
  ],
  [
    { name: 'metrics.ts', about: 'what operators measure' },
    { name: 'loop-monitor.ts', about: 'how long the main thread stalls, and for whom' },
  ],
  [{ name: 'log.ts', about: 'the log' }],
  [
    {
      name: 'config',
      about: 'the schema of settings, what it makes of environment and files, and how the memory is divided',
    },
  ],
  [
    { name: 'network', about: 'IP addresses: ranges of them, and which are public', only: [] },
    {
      name: 'common',
      about:
        'small things that several folders share and that know none of them: the clock, log throttling, the one rule by which companies share (`shared-pool.ts`), how they take turns (`company-turns.ts`), what a terminal may be shown (`visible-text.ts`), octets given back before V8 would (`octets.ts`)',
    },
    { name: 'version.ts', about: 'the version of the program' },
  ],
]

/** What a place may not import: what stands above and beside it, and, where it has a list of its own, what is not on it. */
function forbidden(place: Place, level: number): Place[] {
  return HOUSE.flatMap((places, at) =>
    places.filter((other) => {
      if (other === place) return false
      return at <= level || (place.only !== undefined && !place.only.includes(other.name))
    }),
  )
}

/** What lies behind the doors of the places below; only the one that puts everything together goes in. */
function behindDoors(place: Place, level: number): Place[] {
  if (place.name === 'app.ts') return []
  return HOUSE.slice(level + 1)
    .flat()
    .filter(({ door }) => door !== undefined)
}

const isFile = ({ name }: Place) => name.endsWith('.ts')

/** The part of Biome's configuration that holds the directions and refuses circles, those of types included. */
export function layersConfig(): object {
  const overrides = HOUSE.flatMap((places, level) =>
    places.map((place) => ({
      includes: [isFile(place) ? `src/${place.name}` : `src/${place.name}/**`],
      linter: {
        rules: {
          style: {
            noRestrictedImports: {
              level: 'error',
              options: { patterns: [...above(place, level), ...behind(place, level)] },
            },
          },
        },
      },
    })),
  )
  // Biome looks for circles only where the whole project is told to have none. Tools and tests have some of types.
  const circles = (setting: unknown) => ({ linter: { rules: { suspicious: { noImportCycles: setting } } } })
  const tools = { includes: ['**', '!src/**'], ...circles('off') }
  return { ...circles({ level: 'error', options: { ignoreTypes: false } }), overrides: [tools, ...overrides] }
}

function above(place: Place, level: number): object[] {
  const others = forbidden(place, level)
  if (others.length === 0) return []
  return [
    {
      group: others.map((other) => (isFile(other) ? `../**/${other.name}` : `../**/${other.name}/**`)),
      message: `${place.name} imports only what stands below it in the house (scripts/house.ts).`,
    },
  ]
}

function behind(place: Place, level: number): object[] {
  return behindDoors(place, level).map(({ name, door = [] }) => ({
    group: [`../**/${name}/**`, ...door.map((file) => `!../**/${name}/${file}`)],
    message: `Of ${name} others import ${door.join(', ')} (scripts/house.ts).`,
  }))
}

/** The table of docs/architecture.md. */
export function houseTable(): string {
  const rows = HOUSE.flat().map(({ name, about, only, door }) => {
    const itself = only === undefined ? '' : ` Imports ${only.length === 0 ? 'nothing' : only.join(', ')}.`
    const others = door === undefined ? '' : ` Others import ${door.map((file) => `\`${file}\``).join(', ')}.`
    return `| \`src/${name}\` | ${about}${itself || others ? '.' : ''}${itself}${others} |`
  })
  return ['| Place | Subject |', '|---|---|', ...rows].join('\n')
}

const MARKED = /(?<=<!-- house -->\n)[\s\S]*?(?=\n<!-- \/house -->)/

function main(): void {
  const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
  const wanted: [string, string][] = [
    ['biome.layers.json', `${JSON.stringify(layersConfig(), null, 2)}\n`],
    ['docs/architecture.md', readFileSync(path('docs/architecture.md'), 'utf8').replace(MARKED, houseTable)],
  ]
  for (const [name, text] of wanted) {
    if (!process.argv.includes('--check')) writeFileSync(path(name), text)
    else if (readFileSync(path(name), 'utf8') !== text) {
      process.stderr.write(`${name} is out of date: run node scripts/house.ts\n`)
      process.exitCode = 1
    }
  }
}

if (import.meta.main) main()
