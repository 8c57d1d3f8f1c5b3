import type { Migration } from '../../src/store/migration.ts'

/** The migrations that come before the one with this number: `0025`. */
export function migrationsBefore(number: string, all: readonly Migration[]): Migration[] {
  return all.slice(
    0,
    all.findIndex(({ name }) => name.startsWith(`${number}-`)),
  )
}
