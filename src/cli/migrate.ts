import type { Command } from 'commander'
import { migrate } from '../operate/maintenance.ts'
import { command, type JsonOption } from './command.ts'
import { maintenance } from './open.ts'
import { printJson, printLine } from './print.ts'

export function addMigrate(program: Command): void {
  command(program, {
    usage: 'migrate',
    description: 'Bring the schema of the database up to date, and do nothing else.',
    details:
      'The service does this by itself when it starts. On PostgreSQL it can run as a role that may not: then run this as the ' +
      'role that owns the tables, before the new version is started ("Roles and rights" in docs/operations.md).',
    examples: [
      'migrate',
      'POSTROAD_DATABASE_URL=postgres://postroad_owner@db.example.com/postroad postroad migrate',
    ],
  }).action(updateSchema)
}

async function updateSchema({ json }: JsonOption): Promise<void> {
  const { place, from, to } = await migrate(maintenance(), {})
  if (json) return printJson({ database: place, from, to })
  if (from === to) printLine(`The schema of ${place} is up to date (version ${to}).`)
  else printLine(`Brought the schema of ${place} from version ${from} to ${to}.`)
}
