/**
 * Makes text from outside safe to look at. Some characters are written as visible escapes: characters that a terminal
 * obeys (C0 and C1 controls, ECMA-48), characters that reverse the order of letters (bidi controls, UAX 9), and
 * invisible characters.
 */

/**
 * Emoji made of several characters come first and stay whole: some of the characters that join them are invisible. The
 * alternatives begin with different characters, so that matching takes linear time.
 */
const EMOJI_OR_UNSEEN =
  /(\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*)|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/**
 * Invisible characters in JSON text, except controls below U+0020: JSON escapes these within strings, and between
 * values they are white space.
 */
const UNSEEN_IN_JSON = /[\u007f-\u009f]|(?![\0-\u001f])[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Returns the text on one line: a line break is escaped as well. */
export function visible(text: string): string {
  return text.replace(EMOJI_OR_UNSEEN, (character, emoji) => emoji ?? escaped(character))
}

/** JSON text with the same meaning in which every character is visible. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN_IN_JSON, (character) => {
    // RFC 8259 7: a character beyond U+FFFF is a pair of escapes.
    return character.split('').map(escapedUnit).join('')
  })
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!
  return code > 0xffff ? `\\u{${code.toString(16)}}` : escapedUnit(character)
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
