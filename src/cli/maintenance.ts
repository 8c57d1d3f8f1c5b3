/** `backup` and `migrate`: maintenance of a database as a whole. */
import type { Command } from 'commander'
import { backUp, migrate } from '../operate/maintenance.ts'
import { command, type JsonOption } from './command.ts'
import { maintenance } from './open.ts'
import { printFields, printJson, printLine } from './print.ts'

export function addMaintenance(program: Command): void {
  command(program, {
    usage: 'backup <file>',
    description: 'Copy the database to a file while the service runs.',
    details:
      'The copy is consistent: it holds everything accepted before the command started. Keep the secret key with it: ' +
      'without the key, the DKIM keys and the logins of routes in the copy cannot be used. For SQLite only; for PostgreSQL use its own tools (pg_dump).',
    examples: ['backup /backup/postroad-2026-11-20.db', 'backup /backup/postroad.db --force'],
  })
    .option('--force', 'replace the file if it exists')
    .action(backup)

  command(program, {
    usage: 'migrate',
    description: 'Update the schema of the database, and do nothing else.',
    details:
      'The service does this itself when it starts. On PostgreSQL it can run as a role that may not change tables: then run this as the ' +
      'role that owns the tables, before you start the new version ("Roles and rights" in docs/operations.md).',
    examples: [
      'migrate',
      'POSTROAD_DATABASE_URL=postgres://postroad_owner@db.example.com/postroad postroad migrate',
    ],
  }).action(updateSchema)
}

async function backup(to: string, { force, json }: JsonOption & { force?: true }): Promise<void> {
  const copied = await backUp(maintenance(), { file: to, overwrite: force === true })
  const { file, size, emails, secretKeyFile } = copied
  if (json) return printJson({ file, size, emails, secret_key_file: secretKeyFile })
  printFields([
    ['copied to', file],
    ['size', `${size} octets`],
    ['emails', emails],
  ])
  printLine()
  const key = secretKeyFile === null ? 'the value of POSTROAD_SECRET_KEY' : `the file ${secretKeyFile}`
  printLine(
    `Keep ${key} with the copy: without it, the DKIM keys and the logins of routes in the copy cannot be used.`,
  )
}

async function updateSchema({ json }: JsonOption): Promise<void> {
  const { place, from, to } = await migrate(maintenance(), {})
  if (json) return printJson({ database: place, from, to })
  if (from === to) printLine(`The schema of ${place} is up to date (version ${to}).`)
  else printLine(`Updated the schema of ${place} from version ${from} to ${to}.`)
}
