/** Parses command lines (RFC 5321 4.1.1): the verb, the path, parameters. */
import { isUtf8 } from 'node:buffer'
import { clip } from '../common/clip.ts'
import { CommandRefusal, reply } from './reply.ts'

export interface Command {
  /** In upper case. */
  verb: string
  /** The text after the first space, trimmed. */
  rest: string
}

/** Throws CommandRefusal for a line that is not text. */
export function readCommand(line: Buffer): Command {
  const text = isUtf8(line) ? line.toString() : '\0'
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(text)) {
    throw new CommandRefusal(reply(500, '5.5.2', 'A command must be a line of ASCII or UTF-8 text'))
  }
  const space = text.search(/[ \t]/)
  return space < 0
    ? { verb: text.toUpperCase(), rest: '' }
    : { verb: text.slice(0, space).toUpperCase(), rest: text.slice(space).trim() }
}

export interface Mail {
  /** '' for the null sender. */
  path: string
  /** SIZE (RFC 1870 6); null: absent. */
  size: number | null
  /** SMTPUTF8 (RFC 6531 3.4). */
  international: boolean
}

/** `FROM:<path> parameters`. Throws CommandRefusal. */
export function readMail(rest: string): Mail {
  const { path, parameters } = readPath('FROM', rest)
  const mail: Mail = { path, size: null, international: false }
  for (const [name, value] of parameters) {
    if (name === 'SIZE' && /^\d{1,20}$/.test(value)) mail.size = Number(value)
    else if (name === 'SMTPUTF8' && value === '') mail.international = true
    else if (name === 'BODY' && /^(?:7BIT|8BITMIME)$/i.test(value)) continue
    // RFC 4954 5: a client may name the original submitter. The name is ignored.
    else if (name === 'AUTH' && value !== '') continue
    else throw unknown(name)
  }
  return mail
}

/** The path in `TO:<path>`. Throws CommandRefusal. */
export function readRecipient(rest: string): string {
  const { path, parameters } = readPath('TO', rest)
  for (const name of parameters.keys()) throw unknown(name)
  return path
}

function unknown(name: string): CommandRefusal {
  return new CommandRefusal(
    reply(555, '5.5.4', `The parameter ${clip(name, 40)} or its value is not supported`),
  )
}

interface PathCommand {
  /** The address, without angle brackets and source route (RFC 5321 appendix C). */
  path: string
  /** Names in upper case; '' for a parameter without a value. */
  parameters: Map<string, string>
}

/** The text between the brackets; a quoted local part may itself contain brackets (RFC 5321 4.1.2). */
const PATH = /^<(?:@[^:<>"]*:)?((?:"(?:[^"\\]|\\.)*"|[^"<>])*)>(?:[ \t]+(.*))?$/
/** An address without brackets, as some old clients send it; it ends at the first space. */
const BARE_PATH = /^((?:"(?:[^"\\]|\\.)*"|[^"<> \t])+)(?:[ \t]+(?!<)(.*))?$/
const PARAMETER = /^([A-Za-z0-9][A-Za-z0-9-]*)(?:=([\x21-\x3c\x3e-\x7e]+))?$/

const VERBS = { FROM: 'MAIL', TO: 'RCPT' } as const

/** Throws CommandRefusal, which says what is missing. */
function readPath(word: 'FROM' | 'TO', rest: string): PathCommand {
  const pathFrom = word.length + 1
  const wrong = (what: string) => {
    const right = `${VERBS[word]} ${word}:<address>`
    return new CommandRefusal(reply(501, '5.5.4', `${what}; the syntax is ${right}`))
  }
  if (rest.slice(0, pathFrom).toUpperCase() !== `${word}:`) throw wrong(`"${word}:" is missing`)
  // Many clients send a space before the path.
  const text = rest.slice(pathFrom).trimStart()
  if (text === '') throw wrong('The address is missing')
  const match = PATH.exec(text) ?? BARE_PATH.exec(text)
  if (match === null) throw wrong(faultOf(text))
  return { path: match[1]!, parameters: readParameters(match[2] ?? '', wrong) }
}

/** Why a path cannot be parsed. */
function faultOf(text: string): string {
  if (!text.startsWith('<')) return 'The address must be alone between < and >'
  return text.includes('>') ? 'The address cannot be read' : 'The > after the address is missing'
}

function readParameters(text: string, wrong: (what: string) => CommandRefusal): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const word of text.split(/[ \t]+/)) {
    if (word === '') continue
    const parameter = PARAMETER.exec(word)
    if (parameter === null) throw wrong(`"${clip(word, 40)}" is not a parameter`)
    const name = parameter[1]!.toUpperCase()
    if (parameters.has(name)) throw wrong(`The parameter ${clip(name, 40)} is given twice`)
    parameters.set(name, parameter[2] ?? '')
  }
  return parameters
}
