import type { Command } from 'commander'
import { maskSecret } from '../config/mask-secret.ts'
import { parseDatabase } from '../config/parse/database.ts'
import { SettingValueError } from '../config/parse/value-error.ts'
import type { Settings } from '../config/settings.ts'
import type { TransferProgress } from '../operate/migrate-data.ts'
import { command, type JsonOption } from './command.ts'
import { WrongUsage } from './failure.ts'
import { maintenance } from './open.ts'
import { printJson, printLine, printNote, printTable } from './print.ts'

/** Milliseconds between two lines about the same table. */
const LINE_EVERY = 2_000

export function addMigrateData(program: Command): void {
  command(program, {
    usage: 'migrate-data <from> <to>',
    description: 'Move an installation from SQLite to PostgreSQL.',
    details:
      'Stop the service first. All rows are copied, compared on both sides, and then put in place in one step; the SQLite file is ' +
      'updated to the newest schema and otherwise only read. If the command is interrupted, run it again: it continues where it stopped.\n\n' +
      'To keep the password out of the URL, set PGPASSWORD.',
    examples: ['migrate-data sqlite:./data/postroad.db postgres://postroad@db.example.com/postroad'],
  })
    .option('--restart', 'drop what an earlier, unfinished run has copied')
    .action(move)
}

async function move(
  from: string,
  to: string,
  { restart, json }: JsonOption & { restart?: true },
): Promise<void> {
  const source = database(from)
  const target = database(to)
  if (source.engine !== 'sqlite' || target.engine !== 'postgres') {
    throw new WrongUsage('the source must be sqlite:<path> and the destination postgres://...')
  }
  // Imported on use, because other commands do not need the PostgreSQL driver.
  const { migrateData } = await import('../operate/migrate-data.ts')
  const { tables, secretKeyFile } = await migrateData(maintenance(), {
    from: source.path,
    to: target.url,
    restart: restart === true,
    onProgress: progressLines(),
  })
  if (json) return printJson({ tables, secret_key_file: secretKeyFile })
  printTable(
    ['TABLE', 'ROWS', 'SHA-256'],
    tables.map(({ name, rows, sha256 }) => [name, rows, sha256]),
    '',
  )
  printLine()
  printLine('Both databases hold the same rows. On every node set POSTROAD_DATABASE_URL, and')
  printLine(
    secretKeyFile === null
      ? 'the same POSTROAD_SECRET_KEY as before: without it, DKIM keys and logins of routes cannot be used.'
      : `POSTROAD_SECRET_KEY to the content of ${secretKeyFile}: without it, DKIM keys and logins of routes cannot be used.`,
  )
  printLine('Do not start a service on the SQLite file again: it would send the waiting mail a second time.')
}

function database(text: string): Settings['database'] {
  try {
    return parseDatabase(text)
  } catch (error) {
    if (error instanceof SettingValueError)
      throw new WrongUsage(`the database "${maskSecret('POSTROAD_DATABASE_URL', text)}": ${error.message}`)
    throw error
  }
}

/** Prints lines on stderr: the first and the last of each table and step, and one from time to time in between. */
function progressLines(): (progress: TransferProgress) => void {
  let shownAt = Number.NEGATIVE_INFINITY
  return ({ table, step, rows, of }) => {
    const now = performance.now()
    if (rows < of && now - shownAt < LINE_EVERY) return
    shownAt = now
    const what = step === 'copy' ? 'copied' : 'verified'
    printNote(`${table}: ${rows} of ${of} rows ${what}`)
  }
}
