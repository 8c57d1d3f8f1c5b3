/** What every command has: a description, `--json`, and examples in its help. */
import { type Command, InvalidArgumentError } from 'commander'
import { OperateError } from '../operate/error.ts'

export interface Described {
  /** Like `create <name>`. */
  usage: string
  description: string
  /** Longer words for the help. */
  details?: string
  /** Without the leading `postroad`. */
  examples: string[]
}

/** A group of commands: `postroad company ...`. */
export function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).helpCommand(false)
}

export function command(parent: Command, { usage, description, details, examples }: Described): Command {
  const help = [
    ...(details === undefined ? [] : ['', details]),
    '',
    'Examples:',
    ...examples.map((example) => (/^[A-Z_]+=/.test(example) ? `  ${example}` : `  postroad ${example}`)),
  ]
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON instead of text')
    .addHelpText('after', help.join('\n'))
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

/** For arguments and options whose form a verb checks: what is malformed was typed wrongly, and nothing is opened for it. */
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
