/** Writes docs/configuration.md from the table of settings; with --check only says whether it is up to date. */
import { SETTING_NAMES, SETTINGS } from '../src/config/schema.ts'
import type { Setting } from '../src/config/setting.ts'
import { keepMade } from './made-files.ts'

const INTRODUCTION = `# Configuration

<!-- Made from src/config/sections by scripts/configuration-page.ts; change it there. -->

Everything has a default: with no setting at all the service starts on this machine and captures all mail.

Settings come from three places; the first that sets a name wins:

1. the environment,
2. the file \`.env\` in the working directory (\`NAME=value\` lines),
3. the JSON file that \`POSTROAD_CONFIG\` names: one object with the same names, for example
   \`{ "POSTROAD_LISTEN": "0.0.0.0:8587", "POSTROAD_RETRY_SCHEDULE": ["5m", "1h"] }\`.

A name that is set to nothing counts as not set. A name beginning with \`POSTROAD_\` that is not on this page, and a value
that is not allowed, stop the start with a message that says which. \`bin/postroad settings\` prints what is in effect and
where each value comes from, with secrets blotted out.

Durations are a number with \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`; sizes a number with \`B\`, \`KB\` (1,024 octets), \`MB\` or \`GB\`.
Relative paths start at the working directory.
`

/** The reference page of all settings, as Markdown. The same on every machine. */
export function configurationPage(): string {
  const sections = new Set(SETTING_NAMES.map((name) => SETTINGS[name].section))
  return [INTRODUCTION, ...[...sections].map(sectionText)].join('\n')
}

function sectionText(section: string): string {
  const names = SETTING_NAMES.filter((name) => SETTINGS[name].section === section)
  return `## ${section}\n\n${names.map((name) => entry(name, SETTINGS[name])).join('\n')}`
}

function entry(name: string, definition: Setting<unknown>): string {
  const { default: value, defaultShown, allowed, description, example, secret } = definition
  const lines = [
    `### \`${name}\``,
    '',
    description,
    '',
    `- Default: ${defaultShown ?? (typeof value === 'string' ? `\`${value}\`` : 'none')}`,
    `- Allowed: ${allowed}`,
    `- Example: ${example.includes('`') ? example : `\`${example}\``}`,
  ]
  if (secret) {
    lines.push(`- Secret: ${secret === 'all' ? 'it is' : 'a password in it is'} never logged or printed.`)
  }
  return `${lines.join('\n')}\n`
}

if (import.meta.main) {
  keepMade('scripts/configuration-page.ts', { 'docs/configuration.md': configurationPage() })
}
