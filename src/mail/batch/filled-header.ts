/** Checks whether recipient variables can stand in the header of a message. */
import { customField } from '../header/custom-field.ts'
import { decodeWords } from '../header/encoded-word.ts'
import { HeaderError, isReservedHeader } from '../header/header.ts'
import { isMailboxField } from '../header/mailbox-field.ts'
import type { MessageContent } from '../message.ts'
import { Placeholders } from './placeholders.ts'
import {
  type Addressee,
  substituteField,
  substituteHeaderText,
  substituteNames,
  substituteReplyTo,
} from './substitute.ts'

/** The most octets of all fields with placeholders in one copy. Each copy is tried once, so this bounds the work. */
const MAX_FILLED = 16 * 1024
/**
 * The most fields with placeholders: trying a field costs as much as some hundred octets, and `MAX_FILLED` has room for
 * a thousand short fields.
 */
const MAX_FIELDS = 100

/** The value in which placeholders are searched: names of mailboxes may be encoded, and are filled in decoded. */
function asFilled(name: string, value: string): string {
  return isMailboxField(name.toLowerCase()) ? decodeWords(value) : value
}

/** `replyTo`: empty for a ready message, whose fields are all in `headers`. */
export type HeaderContent = Pick<MessageContent, 'from' | 'replyTo' | 'subject' | 'headers'>

/** The header fields of a message that refer to recipient variables. */
export class FilledHeader {
  readonly #from: string
  readonly #subject: string
  readonly #replyTo: string[]
  readonly #headers: [name: string, value: string][]
  readonly #placeholders: Placeholders

  constructor({ from, replyTo, subject, headers }: HeaderContent) {
    const refers = (text: string) => text.includes('%recipient')
    this.#from = refers(decodeWords(from)) ? from : ''
    this.#subject = refers(subject) ? subject : ''
    this.#replyTo = replyTo.filter((list) => refers(decodeWords(list)))
    this.#headers = headers.filter(([name, value]) => refers(asFilled(name, value)))
    const fields = this.#headers.map(([name, value]) => asFilled(name, value))
    const texts = [
      decodeWords(this.#from),
      this.#subject,
      ...this.#replyTo.map((list) => decodeWords(list)),
      ...fields,
    ]
    this.#placeholders = new Placeholders(texts, Buffer.byteLength)
  }

  /**
   * Returns why these values cannot be used, as a sentence for the sender, or null when they can: a value that cannot
   * stand in a header (above all one with a line break), is too long or is not allowed in its field is reported now,
   * not when the copy is composed.
   */
  error(addressee: Addressee): string | null {
    if (this.#placeholders.none) return null
    if (this.#headers.length > MAX_FIELDS) {
      return `${this.#headers.length} header fields have recipient variables in them; at most ${MAX_FIELDS} may`
    }
    const octets = Math.max(this.#placeholders.template, this.#placeholders.filled(addressee))
    if (octets > MAX_FILLED) {
      return `The header fields with recipient variables in them have ${octets} octets; at most ${MAX_FILLED} are allowed`
    }
    try {
      if (this.#from !== '') customField('From', substituteNames(this.#from, 'From', addressee))
      substituteHeaderText(this.#subject, 'Subject', addressee)
      for (const list of this.#replyTo) substituteReplyTo(list, addressee)
      for (const [name, value] of this.#headers) {
        const filled = substituteField(name, value, addressee)
        if (filled !== value && !isReservedHeader(name)) customField(name, filled)
      }
      return null
    } catch (error) {
      if (!(error instanceof HeaderError)) throw error
      return error.message
    }
  }
}
