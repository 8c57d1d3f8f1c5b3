import type { Command } from 'commander'
import { effectiveSettings, loadSettings } from '../config/load.ts'
import { checkSitesFile } from '../operate/sites-file.ts'
import { command, type JsonOption } from './command.ts'
import { printJson, printTable } from './print.ts'

export function addSettings(program: Command): void {
  command(program, {
    usage: 'settings',
    description:
      'Check the settings and print the ones in effect with the source of each. Secrets are masked.',
    examples: ['settings', 'settings --json'],
  }).action(settings)
}

function settings({ json }: JsonOption): void {
  // Also finds errors in combinations of settings.
  checkSitesFile(loadSettings())
  const inEffect = effectiveSettings()
  const rows = inEffect.map(({ name, value, source }) => [name, value, source])
  if (json) printJson(inEffect)
  else printTable(['SETTING', 'VALUE', 'FROM'], rows, 'none')
}
