/** The common parts of commands: a description, `--json`, and help with examples. */
import { type Command, Help, InvalidArgumentError } from 'commander'
import { OperateError } from '../operate/error.ts'
import { columnsOf } from './print.ts'

interface CommandDescription {
  /** Like `create <name>`. */
  usage: string
  description: string
  /**
   * A longer text for the help. Blank lines separate paragraphs, which are wrapped; a line that begins with a space is
   * printed as it is.
   */
  details?: string
  /** Command lines without the leading `postroad`. */
  examples: string[]
  /** The effect of `--json`, if it is not the usual one. */
  json?: string
}

/** A group of commands: `postroad company ...`. */
export function group(program: Command, name: string, description: string, examples: string[]): Command {
  return program
    .command(name)
    .description(description)
    .helpCommand(false)
    .addHelpText('after', ({ error }) => helpText('', examples, error))
}

export function command(parent: Command, described: CommandDescription): Command {
  const { usage, description, details = '', examples, json = 'print JSON instead of text' } = described
  return parent
    .command(usage)
    .description(description)
    .option('--json', json)
    .addHelpText('after', ({ error }) => helpText(details, examples, error))
}

/** Paragraphs as wide as the rest of the help, then the examples. */
export function helpText(details: string, examples: string[], error: boolean): string {
  const columns = columnsOf(error ? 'stderr' : 'stdout')
  const help = new Help()
  const paragraphs = details === '' ? [] : details.split('\n\n')
  const lines = examples.map((example) =>
    /^[A-Z_]+=/.test(example) ? `  ${example}` : `  postroad ${example}`,
  )
  return [
    ...paragraphs.flatMap((text) => ['', text.startsWith(' ') ? text : help.boxWrap(text, columns)]),
    '',
    'Examples:',
    ...lines,
  ].join('\n')
}

/** Ends with a usage error when the word after a group of commands is not one of them. */
export function refuseUnknown(parent: Command): string {
  const [name] = parent.args
  if (parent.commands.length === 0 || name === undefined || name.startsWith('-')) return ''
  const names = parent.commands.map((each) => each.name()).join(', ')
  return parent.error(`error: unknown command '${name}'. Commands: ${names}`)
}

export interface JsonOption {
  json?: true
}

/** Parses options that take a whole number from 1 to `most`. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (value < 1 || value > most)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
    return value
  }
}

/**
 * For arguments and options whose form a verb checks: malformed ones are usage errors, reported before a database is
 * opened.
 */
export function parser<Text, Value>(check: (text: Text) => Value): (text: Text) => Value {
  return (text) => {
    try {
      return check(text)
    } catch (error) {
      if (error instanceof OperateError && error.code === 'invalid') {
        const end = /[.?!]$/.test(error.message) ? '' : '.'
        throw new InvalidArgumentError(`${error.message[0]!.toUpperCase()}${error.message.slice(1)}${end}`)
      }
      throw error
    }
  }
}
