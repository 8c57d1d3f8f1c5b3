/**
 * The texts that say why a recipient was given back without an attempt. They replace the text of the last answer, whose
 * code stays. Their beginning distinguishes them from an answer. Pure: the page of the console uses it, too.
 */

const BEGINNING = 'Not attempted'

type NotAttempted = `${typeof BEGINNING}${',' | ':'} ${string}`

export function isNotAttempted(message: string | null | undefined): boolean {
  return message?.startsWith(BEGINNING) === true
}

/** The beginning of texts that say nothing about the path. The others name a trouble that other mail has met. */
export const LEFT_ALONE = `${BEGINNING}:`

export function isLeftAlone(message: string): boolean {
  return message.startsWith(LEFT_ALONE)
}

const OTHERS_FAILED = `${BEGINNING}, because other mail on this path failed: ` as const

/** `why`: the trouble that other mail has met. */
export function othersFailed(why: string): NotAttempted {
  return `${OTHERS_FAILED}${why}`
}

/** Whether the text tells of a trouble that other mail has met. */
export function isOfOthers(message: string | null): boolean {
  return message?.startsWith(OTHERS_FAILED) === true
}

/** The trouble that other mail has met, or the text as it is. */
export function troubleIn(message: string): string {
  return isOfOthers(message) ? message.slice(OTHERS_FAILED.length) : message
}

/** `why`: a clause that begins in lower case. */
export function notAttempted(why: string): NotAttempted {
  return `${BEGINNING}: ${why}`
}
