import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { secretKeyPath } from '../accounts/secret-key.ts'
import { loadSettings } from '../config/load.ts'
import { backUpDatabase } from '../store/backup.ts'
import { command, type JsonOption } from './command.ts'
import { refuseMissing } from './open.ts'
import { printFields, printJson, printLine } from './print.ts'

export function addBackup(program: Command): void {
  command(program, {
    usage: 'backup <file>',
    description: 'Copy the database to a file while the service runs.',
    details:
      'The copy is consistent: it holds everything that was accepted before the command began. Keep the secret key with it:\n' +
      'without the key the DKIM keys in the copy are of no use. For SQLite; PostgreSQL has tools of its own (pg_dump).',
    examples: ['backup /backup/postroad-2026-11-20.db', 'backup /backup/postroad.db --force'],
  })
    .option('--force', 'replace the file when it exists')
    .action(backup)
}

function backup(file: string, { force, json }: JsonOption & { force?: true }): void {
  const { database, secretKey } = loadSettings()
  refuseMissing(database)
  const { size, emails } = backUpDatabase(database, file, { overwrite: force === true })
  const keyFile = database.engine === 'sqlite' ? secretKeyPath(database.path) : null
  const beside = secretKey === null && keyFile !== null && existsSync(keyFile) ? keyFile : null
  if (json) {
    printJson({ file: resolve(file), size, emails, secret_key_file: beside })
    return
  }
  printFields([
    ['copied to', resolve(file)],
    ['size', `${size} octets`],
    ['emails', emails],
  ])
  printLine()
  printLine(
    beside === null
      ? 'Keep the value of POSTROAD_SECRET_KEY with it: without it the DKIM keys in the copy cannot be used.'
      : `Keep the file ${beside} with it: without it the DKIM keys in the copy cannot be used.`,
  )
}
