/** What every command has: a description, `--json`, and help that teaches. */
import { type Command, InvalidArgumentError } from 'commander'
import { OperateError } from '../operate/error.ts'
import { columnsOf } from './print.ts'

export interface Described {
  /** Like `create <name>`. */
  usage: string
  description: string
  /**
   * Longer words for the help. A blank line parts paragraphs, which are wrapped; a line that begins with a blank stays
   * as it is.
   */
  details?: string
  /** Without the leading `postroad`. */
  examples: string[]
}

/** A group of commands: `postroad company ...`. */
export function group(program: Command, name: string, description: string, examples: string[]): Command {
  return program
    .command(name)
    .description(description)
    .helpCommand(false)
    .addHelpText('after', ({ error }) => taught('', examples, error))
}

export function command(parent: Command, { usage, description, details = '', examples }: Described): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON instead of text')
    .addHelpText('after', ({ error }) => taught(details, examples, error))
}

/** Paragraphs as wide as the rest of the help, then the examples. */
export function taught(details: string, examples: string[], error: boolean): string {
  const columns = columnsOf(error ? 'stderr' : 'stdout')
  const paragraphs = details === '' ? [] : details.split('\n\n')
  const lines = examples.map((example) =>
    /^[A-Z_]+=/.test(example) ? `  ${example}` : `  postroad ${example}`,
  )
  return [
    ...paragraphs.flatMap((text) => ['', ...(text.startsWith(' ') ? [text] : wrapped(text, columns))]),
    '',
    'Examples:',
    ...lines,
  ].join('\n')
}

function wrapped(text: string, columns: number): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= columns) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Ends with a usage error when what stands behind a command that has commands of its own is none of them. */
export function refuseUnknown(parent: Command): string {
  const [name] = parent.args
  if (parent.commands.length === 0 || name === undefined || name.startsWith('-')) return ''
  const names = parent.commands.map((each) => each.name()).join(', ')
  return parent.error(`error: unknown command '${name}'. There are: ${names}`)
}

export interface JsonOption {
  json?: true
}

/** For options that take a whole number from 1 to `most`. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (value < 1 || value > most)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
    return value
  }
}

/**
 * For arguments and options whose form a verb checks: what is malformed was typed wrongly, and nothing is opened for
 * it.
 */
export function typed<Value>(check: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return check(text)
    } catch (error) {
      if (error instanceof OperateError && error.code === 'invalid') {
        throw new InvalidArgumentError(`${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`)
      }
      throw error
    }
  }
}
