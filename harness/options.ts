/** The command lines of benchmarks, chaos runs and fuzzing, and the parsers of their values. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Ends the program with a sentence, as for every option that cannot be used. */
export function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

/** Returns the result of `work`. If `work` throws, ends the program with the error as a sentence. */
export function orRefuse<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return refuse((error as Error).message)
  }
}

/** The options of the command line. With `--help`, prints the help and ends the program. */
export function parseOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  help: string,
  options: Options,
) {
  const { values, positionals } = parseWithPlaces(help, options)
  const [stranger] = positionals
  return stranger === undefined ? values : refuse(`${stranger}: only options are taken, see --help`)
}

/** The same for a program that takes more than options. */
export function parseWithPlaces<const Options extends NonNullable<ParseArgsConfig['options']>>(
  help: string,
  options: Options,
) {
  const parsed = orRefuse(() =>
    parseArgs({ allowPositionals: true, options: { ...options, help: { type: 'boolean', default: false } } }),
  )
  if (!(parsed.values as { help?: boolean }).help) return parsed
  process.stdout.write(help)
  process.exit(0)
}

/** The whole number of an option. Ends the program with a sentence for any other text. */
export function count(name: string, text: string, least = 1): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isInteger(number) && number >= least) return number
  return refuse(`--${name} ${text}: a whole number from ${least} on is needed`)
}

/** One of the words that an option accepts. Ends the program with a sentence for any other text. */
export function oneOf<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === text)
  return choice ?? refuse(`--${name} ${text}: one of ${choices.join(', ')} is needed`)
}
