/**
 * The texts that say why a recipient was given back without an attempt. They take the place of the last answer of a
 * server, whose code stays: their beginning tells them from an answer. Pure: the page of the console uses it, too.
 */

const BEGINNING = 'Not attempted'

export type NotAttempted = `${typeof BEGINNING}${',' | ':'} ${string}`

export function isNotAttempted(message: string | null | undefined): boolean {
  return message?.startsWith(BEGINNING) === true
}

/** The beginning of texts that say nothing about the path. The other ones are of trouble that other mail has met. */
export const LEFT_ALONE = `${BEGINNING}:`

export function isLeftAlone(message: string): boolean {
  return message.startsWith(LEFT_ALONE)
}

/** `why`: a clause that begins in lower case. */
export function notAttempted(why: string): NotAttempted {
  return `${BEGINNING}: ${why}`
}
