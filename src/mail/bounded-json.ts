/** JSON that a stranger wrote. */

/** The most commas and opening brackets of a text, those within strings included. */
const MAX_VALUES = 300_000

export class TooManyValues extends Error {
  override name = 'TooManyValues'
}

/**
 * `[[],[],…]` takes sixty times its size in memory. Counting the separators takes linear time and no memory.
 * @returns the value; throws a SyntaxError for a text that is not JSON
 */
export function parseBoundedJson(text: string): unknown {
  let left = MAX_VALUES
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if ((unit === COMMA || unit === BRACKET || unit === BRACE) && --left < 0) {
      throw new TooManyValues(`The JSON has more than ${MAX_VALUES} values.`)
    }
  }
  return JSON.parse(text)
}

const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b
