import type { Command } from 'commander'
import { backUp } from '../operate/maintenance.ts'
import { command, type JsonOption } from './command.ts'
import { maintenance } from './open.ts'
import { printFields, printJson, printLine } from './print.ts'

export function addBackup(program: Command): void {
  command(program, {
    usage: 'backup <file>',
    description: 'Copy the database to a file while the service runs.',
    details:
      'The copy is consistent: it holds everything that was accepted before the command began. Keep the secret key with it: ' +
      'without the key the DKIM keys in the copy are of no use. For SQLite; PostgreSQL has tools of its own (pg_dump).',
    examples: ['backup /backup/postroad-2026-11-20.db', 'backup /backup/postroad.db --force'],
  })
    .option('--force', 'replace the file when it exists')
    .action(backup)
}

async function backup(to: string, { force, json }: JsonOption & { force?: true }): Promise<void> {
  const copied = await backUp(maintenance(), { file: to, overwrite: force === true })
  const { file, size, emails, secretKeyFile } = copied
  if (json) {
    printJson({ file, size, emails, secret_key_file: secretKeyFile })
    return
  }
  printFields([
    ['copied to', file],
    ['size', `${size} octets`],
    ['emails', emails],
  ])
  printLine()
  printLine(
    secretKeyFile === null
      ? 'Keep the value of POSTROAD_SECRET_KEY with it: without it the DKIM keys in the copy cannot be used.'
      : `Keep the file ${secretKeyFile} with it: without it the DKIM keys in the copy cannot be used.`,
  )
}
